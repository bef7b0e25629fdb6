package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

var resource = groupVersion.WithResource("notes").GroupResource()

// watchQueue is how many events a watcher may be behind before it misses some.
const watchQueue = 1000

// storage keeps notes in memory. A stored note is never changed, only replaced. Finalizers are not obeyed.
type storage struct {
	rest.TableConvertor
	events *watch.Broadcaster

	mutex sync.RWMutex
	// By namespace, a slash, and name.
	notes    map[string]*Note
	revision uint64
}

var (
	_ rest.Lister          = &storage{}
	_ rest.CreaterUpdater  = &storage{}
	_ rest.Getter          = &storage{}
	_ rest.GracefulDeleter = &storage{}
	_ rest.Watcher         = &storage{}
	_ rest.Scoper          = &storage{}
)

func newStorage() *storage {
	return &storage{
		TableConvertor: rest.NewDefaultTableConvertor(resource),
		events:         watch.NewLongQueueBroadcaster(watchQueue, watch.DropIfChannelFull),
		notes:          map[string]*Note{},
	}
}

func (s *storage) New() runtime.Object     { return &Note{} }
func (s *storage) NewList() runtime.Object { return &NoteList{} }
func (s *storage) Destroy()                {}
func (s *storage) NamespaceScoped() bool   { return true }
func (s *storage) GetSingularName() string { return "note" }

func (s *storage) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	note, err := s.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return note.copy(), nil
}

func (s *storage) find(ctx context.Context, name string) (*Note, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	note, ok := s.notes[keyOf(ctx, name)]
	if !ok {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return note, nil
}

func (s *storage) List(ctx context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	matches := matcher(ctx, options)
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	list := &NoteList{Items: []Note{}}
	list.ResourceVersion = s.version()
	for _, key := range slices.Sorted(maps.Keys(s.notes)) {
		if note := s.notes[key]; matches(note) {
			list.Items = append(list.Items, *note.copy())
		}
	}
	return list, nil
}

func (s *storage) Create(
	ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions,
) (runtime.Object, error) {
	note := object.(*Note)
	rest.FillObjectMetaSystemFields(note)
	if note.Name == "" && note.GenerateName != "" {
		note.Name = notes.GenerateName(note.GenerateName)
	}
	if err := rest.BeforeCreate(notes, ctx, note); err != nil {
		return nil, err
	}
	if validate != nil {
		if err := validate(ctx, note.copy()); err != nil {
			return nil, err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := keyOf(ctx, note.Name)
	if _, ok := s.notes[key]; ok {
		return nil, apierrors.NewAlreadyExists(resource, note.Name)
	}
	return s.put(key, note, watch.Added)
}

// Update runs again when another write came between.
func (s *storage) Update(
	ctx context.Context, name string, info rest.UpdatedObjectInfo, validateNew rest.ValidateObjectFunc,
	validate rest.ValidateObjectUpdateFunc, createsMissing bool, _ *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	for {
		before, err := s.find(ctx, name)
		if apierrors.IsNotFound(err) && createsMissing {
			object, err := info.UpdatedObject(ctx, s.New())
			if err != nil {
				return nil, false, err
			}
			created, err := s.Create(ctx, object, validateNew, nil)
			return created, err == nil, err
		}
		if err != nil {
			return nil, false, err
		}
		object, err := info.UpdatedObject(ctx, before.copy())
		if err != nil {
			return nil, false, err
		}
		after := object.(*Note)
		if after.ResourceVersion == "" {
			after.ResourceVersion = before.ResourceVersion
		}
		if after.ResourceVersion != before.ResourceVersion {
			return nil, false, apierrors.NewConflict(resource, name, fmt.Errorf("the note is of version %s", before.ResourceVersion))
		}
		if err := rest.BeforeUpdate(notes, ctx, after, before.copy()); err != nil {
			return nil, false, err
		}
		if validate != nil {
			if err := validate(ctx, after.copy(), before.copy()); err != nil {
				return nil, false, err
			}
		}
		if stored, ok, err := s.replace(keyOf(ctx, name), before, after); ok {
			return stored, false, err
		}
	}
}

// replace stores the note unless another one is there than before.
func (s *storage) replace(key string, before, after *Note) (runtime.Object, bool, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.notes[key] != before {
		return nil, false, nil
	}
	stored, err := s.put(key, after, watch.Modified)
	return stored, true, err
}

func (s *storage) Delete(
	ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	note, err := s.find(ctx, name)
	if err != nil {
		return nil, false, err
	}
	if validate != nil {
		if err := validate(ctx, note.copy()); err != nil {
			return nil, false, err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := keyOf(ctx, name)
	note, ok := s.notes[key]
	if !ok {
		return nil, false, apierrors.NewNotFound(resource, name)
	}
	if wanted := options.Preconditions; wanted != nil {
		isOther := wanted.UID != nil && *wanted.UID != note.UID
		isChanged := wanted.ResourceVersion != nil && *wanted.ResourceVersion != note.ResourceVersion
		if isOther || isChanged {
			return nil, false, apierrors.NewConflict(resource, name, fmt.Errorf("the note has changed"))
		}
	}
	delete(s.notes, key)
	s.revision++
	deleted := note.copy()
	deleted.ResourceVersion = s.version()
	return deleted, true, s.events.Action(watch.Deleted, deleted.copy())
}

// Watch begins at the present, or with the present notes: the past is not kept.
func (s *storage) Watch(ctx context.Context, options *internalversion.ListOptions) (watch.Interface, error) {
	matches := matcher(ctx, options)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var present []watch.Event
	// Such a client takes the place of its list by the events, and waits for a bookmark behind them.
	lists := options.SendInitialEvents != nil && *options.SendInitialEvents
	switch {
	case lists || options.ResourceVersion == "" || options.ResourceVersion == "0":
		for _, note := range s.notes {
			present = append(present, watch.Event{Type: watch.Added, Object: note})
		}
	case options.ResourceVersion != s.version():
		return nil, apierrors.NewResourceExpired("too old resource version: " + options.ResourceVersion)
	}
	if lists {
		end := &Note{}
		end.ResourceVersion = s.version()
		end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		present = append(present, watch.Event{Type: watch.Bookmark, Object: end})
	}
	events, err := s.events.WatchWithPrefix(present)
	if err != nil {
		return nil, err
	}
	return watch.Filter(events, func(event watch.Event) (watch.Event, bool) {
		note := event.Object.(*Note)
		if event.Type != watch.Bookmark && !matches(note) {
			return event, false
		}
		event.Object = note.copy()
		return event, true
	}), nil
}

// put needs the lock. It keeps the note itself and returns a copy.
func (s *storage) put(key string, note *Note, event watch.EventType) (runtime.Object, error) {
	s.revision++
	note.ResourceVersion = s.version()
	s.notes[key] = note
	return note.copy(), s.events.Action(event, note)
}

func (s *storage) version() string {
	return strconv.FormatUint(s.revision, 10)
}

func keyOf(ctx context.Context, name string) string {
	return request.NamespaceValue(ctx) + "/" + name
}

// matcher returns what says whether a note is in the request's namespace and selected by its options.
func matcher(ctx context.Context, options *internalversion.ListOptions) func(*Note) bool {
	namespace := request.NamespaceValue(ctx)
	label, field := labels.Everything(), fields.Everything()
	if options != nil && options.LabelSelector != nil {
		label = options.LabelSelector
	}
	if options != nil && options.FieldSelector != nil {
		field = options.FieldSelector
	}
	return func(note *Note) bool {
		inNamespace := namespace == "" || note.Namespace == namespace
		names := fields.Set{"metadata.name": note.Name, "metadata.namespace": note.Namespace}
		return inNamespace && label.Matches(labels.Set(note.Labels)) && field.Matches(names)
	}
}
