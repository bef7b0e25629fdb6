// Encrypts and decrypts as kube-apiserver does, by the configuration in a file: a line of JSON in, a line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/storage/value"
)

type question struct {
	// File of an EncryptionConfiguration, which is loaded anew for each question.
	File     string `json:"file"`
	Reload   bool   `json:"reload"`
	Group    string `json:"group"`
	Resource string `json:"resource"`
	Path     string `json:"path"`
	// Stored is decrypted, Value is encrypted.
	Stored []byte `json:"stored"`
	Value  []byte `json:"value"`
}

type answer struct {
	Bytes []byte `json:"bytes"`
	Stale bool   `json:"stale"`
	Error string `json:"error"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(ask(asked)); err != nil {
			os.Exit(1)
		}
	}
}

func ask(asked question) answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	loaded, err := encryptionconfig.LoadEncryptionConfig(ctx, asked.File, asked.Reload, "")
	if err != nil {
		return answer{Error: err.Error()}
	}
	resource := schema.GroupResource{Group: asked.Group, Resource: asked.Resource}
	transformer := encryptionconfig.StaticTransformers(loaded.Transformers).TransformerForResource(resource)
	at := value.DefaultContext(asked.Path)
	var given answer
	if asked.Stored != nil {
		given.Bytes, given.Stale, err = transformer.TransformFromStorage(ctx, asked.Stored, at)
	} else if asked.Value != nil {
		given.Bytes, err = transformer.TransformToStorage(ctx, asked.Value, at)
	}
	if err != nil {
		given.Error = err.Error()
	}
	return given
}
