// Hashes what it reads, one JSON value a line, as Kubernetes' controllers do: {"template", "collisionCount"?} gets the hash of a
// pod template, {"data", "collisionCount"?} that of a ControllerRevision with this data. With the argument "dump" it answers with what is hashed.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/dump"
	"k8s.io/apimachinery/pkg/util/rand"
)

type question struct {
	Template       json.RawMessage `json:"template"`
	Data           *string         `json:"data"`
	CollisionCount *int32          `json:"collisionCount"`
}

func main() {
	showDump := len(os.Args) > 1 && os.Args[1] == "dump"
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var asked question
		must(json.Unmarshal(lines.Bytes(), &asked))
		if asked.Data != nil {
			fmt.Println(revisionHash(*asked.Data, asked.CollisionCount))
			continue
		}
		dumped := dump.ForHash(templateOf(asked.Template))
		if showDump {
			fmt.Println(dumped)
		} else {
			fmt.Println(templateHash(dumped, asked.CollisionCount))
		}
	}
	must(lines.Err())
}

// A controller reads the template as protobuf.
func templateOf(text []byte) corev1.PodTemplateSpec {
	var written, read corev1.PodTemplateSpec
	must(json.Unmarshal(text, &written))
	message, err := written.Marshal()
	must(err)
	must(read.Unmarshal(message))
	return read
}

func templateHash(dumped string, collisionCount *int32) string {
	hasher := fnv.New32a()
	hasher.Write([]byte(dumped))
	if collisionCount != nil {
		bytes := make([]byte, 8)
		binary.LittleEndian.PutUint32(bytes, uint32(*collisionCount))
		hasher.Write(bytes)
	}
	return rand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
}

func revisionHash(data string, collisionCount *int32) string {
	hasher := fnv.New32()
	hasher.Write([]byte(data))
	if collisionCount != nil {
		hasher.Write([]byte(strconv.FormatInt(int64(*collisionCount), 10)))
	}
	return rand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
