package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// Note is the one kind that the server has.
type Note struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              NoteSpec `json:"spec,omitempty"`
}

// NoteSpec is what a user writes of a Note.
type NoteSpec struct {
	Text string `json:"text,omitempty"`
}

// NoteList is a list of Notes.
type NoteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Note `json:"items"`
}

// DeepCopyObject copies the note.
func (n *Note) DeepCopyObject() runtime.Object {
	return n.copy()
}

func (n *Note) copy() *Note {
	copied := *n
	n.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// DeepCopyObject copies the list and its notes.
func (l *NoteList) DeepCopyObject() runtime.Object {
	copied := *l
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	copied.Items = make([]Note, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].copy()
	}
	return &copied
}

// OpenAPIModelName is what the schema of a Note is called.
func (Note) OpenAPIModelName() string { return "com.example.bench.v1.Note" }

// OpenAPIModelName is what the schema of a NoteSpec is called.
func (NoteSpec) OpenAPIModelName() string { return "com.example.bench.v1.NoteSpec" }

// OpenAPIModelName is what the schema of a NoteList is called.
func (NoteList) OpenAPIModelName() string { return "com.example.bench.v1.NoteList" }

var (
	groupVersion   = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme         = runtime.NewScheme()
	codecs         = serializer.NewCodecFactory(scheme)
	parameterCodec = runtime.NewParameterCodec(scheme)
)

func init() {
	internal := schema.GroupVersion{Group: groupVersion.Group, Version: runtime.APIVersionInternal}
	// One type stands for both versions, so that no request converts anything.
	scheme.AddKnownTypes(groupVersion, &Note{}, &NoteList{})
	scheme.AddKnownTypes(internal, &Note{}, &NoteList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	if err := scheme.SetVersionPriority(groupVersion); err != nil {
		panic(err)
	}
}
