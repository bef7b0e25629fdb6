package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// atOnce is how many control planes are started at once: AT_ONCE, or two.
func atOnce(t *testing.T) int {
	number, err := strconv.Atoi(os.Getenv("AT_ONCE"))
	if os.Getenv("AT_ONCE") != "" {
		must(t, err)
		return number
	}
	return 2
}

func TestControlPlanesThatStartAtOnceAreApart(t *testing.T) {
	number := atOnce(t)
	environments := make([]*envtest.Environment, number)
	configs := make([]*rest.Config, number)
	var starting sync.WaitGroup
	for i := range number {
		starting.Add(1)
		go func() {
			defer starting.Done()
			environments[i] = &envtest.Environment{}
			config, err := environments[i].Start()
			if err != nil {
				t.Error(err)
			}
			configs[i] = config
		}()
	}
	starting.Wait()
	t.Cleanup(func() {
		for _, environment := range environments {
			if err := environment.Stop(); err != nil {
				t.Error(err)
			}
		}
	})
	if t.Failed() {
		return
	}
	for i, config := range configs {
		mine := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine"},
			Data:       map[string]string{"number": fmt.Sprint(i)},
		}
		must(t, clientOf(t, config).Create(context.Background(), mine))
	}
	for i, config := range configs {
		mine := &corev1.ConfigMap{}
		key := types.NamespacedName{Namespace: "default", Name: "mine"}
		must(t, clientOf(t, config).Get(context.Background(), key, mine))
		if mine.Data["number"] != fmt.Sprint(i) {
			t.Errorf("control plane %d has the object of %s", i, mine.Data["number"])
		}
	}
}

// TestStartTime prints milliseconds from Start to ready, for the bench: {"start":430,"stop":30}.
func TestStartTime(t *testing.T) {
	if os.Getenv("TIME_START") == "" {
		t.Skip("for the bench")
	}
	environment := &envtest.Environment{}
	begun := time.Now()
	_, err := environment.Start()
	must(t, err)
	ready := time.Now()
	must(t, environment.Stop())
	line, err := json.Marshal(map[string]int64{
		"start": ready.Sub(begun).Milliseconds(), "stop": time.Since(ready).Milliseconds(),
	})
	must(t, err)
	fmt.Println(string(line))
}
