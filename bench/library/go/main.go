// Follows all ConfigMaps of the cluster of $KUBECONFIG with client-go's SharedInformerFactory, and measures itself. It speaks
// the protocol of ../contenders/measured-follower.mjs.
//
//	kubets-bench-library-go OBJECTS
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// calls counts the handler's calls. finish is closed by the call that makes it the target's.
type calls struct {
	count  atomic.Int64
	target atomic.Pointer[target]
}

type target struct {
	count       int64
	first, last time.Time
	finish      chan struct{}
}

func (c *calls) expect(count int64) *target {
	c.count.Store(0)
	t := &target{count: count, finish: make(chan struct{})}
	c.target.Store(t)
	return t
}

// add is called by one goroutine, the handler's.
func (c *calls) add() {
	t := c.target.Load()
	count := c.count.Add(1)
	if count == 1 {
		t.first = time.Now()
	}
	if count == t.count {
		t.last = time.Now()
		close(t.finish)
	}
}

func main() {
	objects, err := strconv.ParseInt(os.Args[1], 10, 64)
	check(err)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	var handled calls
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { _ = object.(*corev1.ConfigMap).Name; handled.add() },
		UpdateFunc: func(_, object any) { _ = object.(*corev1.ConfigMap).Name; handled.add() },
		DeleteFunc: func(any) { handled.add() },
	})
	check(err)

	first := handled.expect(objects)
	cpu, started := cpuMilliseconds(), time.Now()
	stop := make(chan struct{})
	factory.Start(stop)
	<-first.finish
	took, cpu := time.Since(started), cpuMilliseconds()-cpu
	rss := residentBytes()
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	say(map[string]any{
		"milliseconds": took.Seconds() * 1000,
		"cpu":          cpu,
		"rss":          rss,
		"settledRss":   residentBytes(),
		"heap":         memory.HeapInuse,
		"objects":      len(informer.GetStore().ListKeys()),
	})

	for command := range commands() {
		count, err := strconv.ParseInt(strings.TrimPrefix(command, "count "), 10, 64)
		check(err)
		changes := handled.expect(count)
		before := cpuMilliseconds()
		say(map[string]any{"counting": count})
		<-changes.finish
		say(map[string]any{
			"milliseconds": changes.last.Sub(changes.first).Seconds() * 1000,
			"cpu":          cpuMilliseconds() - before,
		})
	}
}

// commands are the lines of stdin. The process ends with them, also in the middle of a count: the parent may be gone.
func commands() <-chan string {
	lines := make(chan string)
	go func() {
		input := bufio.NewScanner(os.Stdin)
		for input.Scan() {
			lines <- input.Text()
		}
		os.Exit(0)
	}()
	return lines
}

func say(answer map[string]any) {
	text, err := json.Marshal(answer)
	check(err)
	fmt.Println(string(text))
}

func cpuMilliseconds() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	check(err)
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	check(err)
	return pages * int64(os.Getpagesize())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
