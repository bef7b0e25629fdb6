// Runs the checks of client-go against the cluster of $KUBECONFIG. The clients send nothing but protobuf, patches excepted,
// and take nothing else.
package main

import (
	"fmt"
	"net/http"
	"os"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// namespace is the program's own.
const namespace = "go-protobuf"

// answers counts the answers of the server by their content types.
var answers = struct {
	sync.Mutex
	types map[string]int
}{types: map[string]int{}}

type recorder struct{ next http.RoundTripper }

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil {
		answers.Lock()
		answers.types[response.Header.Get("Content-Type")]++
		answers.Unlock()
	}
	return response, err
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fail(err)
	}
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return recorder{next} })
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail(err)
	}
	bare, err := metadata.NewForConfig(rest.CopyConfig(config))
	if err != nil {
		fail(err)
	}
	c := &clients{client, bare}

	run("an object of many fields is created, and read as it was sent", c.createAndGet)
	run("a list has its items, and its resourceVersion", c.list)
	run("limit and continue page through one version of a list", c.pages)
	run("an update of a stale resourceVersion is a conflict", c.conflict)
	run("a JSON patch, a merge patch and a strategic merge patch change one object", c.patches)
	run("server-side apply tracks owners: a second manager conflicts, and takes over by force", c.apply)
	run("the scale subresource reads and writes replicas", c.scale)
	run("the status subresource writes the status alone", c.status)
	run("a Lease keeps microseconds", c.microTime)
	run("an int-or-string, bytes and quantities are read as they were sent", c.scalars)
	run("a token and a review are answered", c.reviews)
	run("a watch streams Added, Modified and Deleted", c.watch)
	run("a streaming list ends with a bookmark that is annotated", c.watchList)
	run("a watch from an expired resourceVersion is an Error event with 410 Expired", c.expiredWatch)
	run("an informer follows a collection", c.informer)
	run("the metadata client gets, lists and watches PartialObjectMetadata", c.metadata)
	run("a missing object is NotFound, with the name in its details", c.notFound)
	run("a second creation is AlreadyExists", c.alreadyExists)
	run("an invalid object is Invalid, with a cause for each field", c.invalid)
	run("a table is refused with 406", c.table)
	run("discovery of groups and resources is read", c.discovery)
	run("every list is what Go writes when it read it, byte for byte", c.reencoded)
	run("a collection is deleted", c.deleteCollection)
	run("every answer was protobuf", onlyProtobuf)
}

type clients struct {
	kubernetes *kubernetes.Clientset
	bare       metadata.Interface
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
