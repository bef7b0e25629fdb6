package main

import (
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// models are the types that requests and answers of the server have, without those that their fields have.
var models = []any{
	Note{}, NoteList{}, metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{},
	metav1.DeleteOptions{}, metav1.Patch{}, metav1.Status{}, metav1.WatchEvent{}, version.Info{},
}

// definitions makes the schemas of the server's types from their Go types, without descriptions.
func definitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	found := &definer{ref: ref, made: map[string]common.OpenAPIDefinition{}}
	for _, model := range models {
		found.define(reflect.TypeOf(model))
	}
	return found.made
}

type definer struct {
	ref  common.ReferenceCallback
	made map[string]common.OpenAPIDefinition
}

// ownForm is what types implement that are not encoded as their fields.
type ownForm interface {
	OpenAPISchemaType() []string
	OpenAPISchemaFormat() string
}

// define adds the definition of a type, and of those that its fields have, and returns its name.
func (d *definer) define(t reflect.Type) string {
	model := reflect.Zero(t).Interface()
	name := util.GetCanonicalTypeName(model)
	if _, ok := d.made[name]; ok {
		return name
	}
	if own, ok := model.(ownForm); ok {
		schema := spec.Schema{SchemaProps: spec.SchemaProps{Type: own.OpenAPISchemaType(), Format: own.OpenAPISchemaFormat()}}
		d.made[name] = common.OpenAPIDefinition{Schema: schema}
		return name
	}
	definition := common.OpenAPIDefinition{
		Schema: spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: map[string]spec.Schema{}}},
	}
	// A field of the type itself finds it.
	d.made[name] = definition
	d.addFields(t, &definition)
	d.made[name] = definition
	return name
}

func (d *definer) addFields(t reflect.Type, definition *common.OpenAPIDefinition) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" && (field.Anonymous || strings.Contains(rest, "inline")) {
			d.addFields(field.Type, definition)
			continue
		}
		definition.Schema.Properties[name] = *d.schemaOf(field.Type, definition)
	}
}

// schemaOf returns the schema of a field's type, and adds to the definition's dependencies what it refers to.
func (d *definer) schemaOf(t reflect.Type, definition *common.OpenAPIDefinition) *spec.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return d.schemaOf(t.Elem(), definition)
	case reflect.Struct:
		name := d.define(t)
		definition.Dependencies = append(definition.Dependencies, name)
		return &spec.Schema{SchemaProps: spec.SchemaProps{Ref: d.ref(name)}}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return spec.StrFmtProperty("byte")
		}
		return spec.ArrayProperty(d.schemaOf(t.Elem(), definition))
	case reflect.Map:
		return spec.MapProperty(d.schemaOf(t.Elem(), definition))
	case reflect.Bool:
		return spec.BooleanProperty()
	case reflect.Int32:
		return spec.Int32Property()
	case reflect.Int, reflect.Int64:
		return spec.Int64Property()
	default:
		return spec.StringProperty()
	}
}
