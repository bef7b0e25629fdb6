package main

import (
	"context"
	"fmt"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// next is the next event, which must be of that type.
func next(events watch.Interface, wanted watch.EventType) (watch.Event, error) {
	select {
	case event, open := <-events.ResultChan():
		if !open {
			return event, fmt.Errorf("the watch ended before %s", wanted)
		}
		return event, equal(event.Type, wanted)
	case <-time.After(10 * time.Second):
		return watch.Event{}, fmt.Errorf("no %s", wanted)
	}
}

func (c *clients) watch(ctx context.Context) error {
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	list, err := api.List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	events, err := api.Watch(ctx, meta.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer events.Stop()
	created, err := api.Create(ctx, configMap("watched", "1"), meta.CreateOptions{})
	if err != nil {
		return err
	}
	created.Data["key"] = "2"
	if _, err := api.Update(ctx, created, meta.UpdateOptions{}); err != nil {
		return err
	}
	if err := api.Delete(ctx, "watched", meta.DeleteOptions{}); err != nil {
		return err
	}
	for _, wanted := range []struct {
		event watch.EventType
		value string
	}{{watch.Added, "1"}, {watch.Modified, "2"}, {watch.Deleted, "2"}} {
		event, err := next(events, wanted.event)
		if err != nil {
			return err
		}
		object, ok := event.Object.(*core.ConfigMap)
		if !ok {
			return fmt.Errorf("%s brings %T", wanted.event, event.Object)
		}
		if err := first(equal(object.Name, "watched"), equal(object.Data["key"], wanted.value)); err != nil {
			return err
		}
	}
	return nil
}

func (c *clients) watchList(ctx context.Context) error {
	yes := true
	events, err := c.kubernetes.CoreV1().ConfigMaps(namespace).Watch(ctx, meta.ListOptions{
		SendInitialEvents:    &yes,
		AllowWatchBookmarks:  true,
		ResourceVersionMatch: meta.ResourceVersionMatchNotOlderThan,
		LabelSelector:        "set=listed",
	})
	if err != nil {
		return err
	}
	defer events.Stop()
	for range 3 {
		if _, err := next(events, watch.Added); err != nil {
			return err
		}
	}
	event, err := next(events, watch.Bookmark)
	if err != nil {
		return err
	}
	object, ok := event.Object.(*core.ConfigMap)
	if !ok {
		return fmt.Errorf("a bookmark brings %T", event.Object)
	}
	return first(equal(object.Annotations[meta.InitialEventsAnnotationKey], "true"), equal(object.ResourceVersion != "", true))
}

func (c *clients) expiredWatch(ctx context.Context) error {
	version := os.Getenv("EXPIRED_RESOURCE_VERSION")
	events, err := c.kubernetes.CoreV1().Namespaces().Watch(ctx, meta.ListOptions{ResourceVersion: version})
	if err != nil {
		return err
	}
	defer events.Stop()
	event, err := next(events, watch.Error)
	if err != nil {
		return err
	}
	return equal(errors.IsResourceExpired(errors.FromObject(event.Object)), true)
}

func (c *clients) informer(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(c.kubernetes, 0, informers.WithNamespace(namespace))
	configMaps := factory.Core().V1().ConfigMaps()
	informer := configMaps.Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the informer did not synchronize")
	}
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	if _, err := api.Create(ctx, configMap("followed", "1"), meta.CreateOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		object, err := configMaps.Lister().ConfigMaps(namespace).Get("followed")
		return err == nil && object.Data["key"] == "1", nil
	})
}

func (c *clients) metadata(ctx context.Context) error {
	api := c.bare.Resource(core.SchemeGroupVersion.WithResource("configmaps")).Namespace(namespace)
	got, err := api.Get(ctx, "a", meta.GetOptions{})
	if err != nil {
		return err
	}
	list, err := api.List(ctx, meta.ListOptions{LabelSelector: "set=listed", Limit: 1})
	if err != nil {
		return err
	}
	events, err := api.Watch(ctx, meta.ListOptions{FieldSelector: "metadata.name=a"})
	if err != nil {
		return err
	}
	defer events.Stop()
	event, err := next(events, watch.Added)
	if err != nil {
		return err
	}
	object, ok := event.Object.(*meta.PartialObjectMetadata)
	if !ok {
		return fmt.Errorf("a watch of metadata brings %T", event.Object)
	}
	return first(
		equal(got.Labels["set"], "listed"),
		equal(got.UID != "", true),
		equal(len(list.Items), 1),
		equal(list.Items[0].Name, "a"),
		equal(list.Continue != "", true),
		equal(object.UID, got.UID),
	)
}
