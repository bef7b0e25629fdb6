package main

import (
	"context"
	"fmt"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (c *clients) notFound(ctx context.Context) error {
	_, err := c.kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, "missing", meta.GetOptions{})
	status, ok := err.(errors.APIStatus)
	if !ok || !errors.IsNotFound(err) {
		return fmt.Errorf("got %v", err)
	}
	return first(equal(status.Status().Details.Name, "missing"), equal(status.Status().Code, 404))
}

func (c *clients) alreadyExists(ctx context.Context) error {
	_, err := c.kubernetes.CoreV1().ConfigMaps(namespace).Create(ctx, configMap("a", ""), meta.CreateOptions{})
	return equal(errors.IsAlreadyExists(err), true)
}

func (c *clients) invalid(ctx context.Context) error {
	pod := &core.Pod{ObjectMeta: meta.ObjectMeta{Name: "invalid"}}
	_, err := c.kubernetes.CoreV1().Pods(namespace).Create(ctx, pod, meta.CreateOptions{})
	status, ok := err.(errors.APIStatus)
	if !ok || !errors.IsInvalid(err) {
		return fmt.Errorf("got %v", err)
	}
	causes := status.Status().Details.Causes
	return first(equal(len(causes), 1), equal(causes[0].Field, "spec.containers"), equal(causes[0].Type, meta.CauseTypeFieldValueRequired))
}

func (c *clients) table(ctx context.Context) error {
	err := c.kubernetes.CoreV1().RESTClient().Get().Namespace(namespace).Resource("configmaps").
		SetHeader("Accept", "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1").Do(ctx).Error()
	if !errors.IsNotAcceptable(err) {
		return fmt.Errorf("got %v", err)
	}
	// Nothing the client takes is left for the failure: it is JSON.
	answers.Lock()
	defer answers.Unlock()
	answers.types["application/json"]--
	return equal(err.Error(), "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf")
}

func (c *clients) discovery(ctx context.Context) error {
	client := c.kubernetes.CoreV1().RESTClient()
	var versions meta.APIVersions
	var groups meta.APIGroupList
	var group meta.APIGroup
	var resources meta.APIResourceList
	if err := first(
		client.Get().AbsPath("/api").Do(ctx).Into(&versions),
		client.Get().AbsPath("/apis").Do(ctx).Into(&groups),
		client.Get().AbsPath("/apis/apps").Do(ctx).Into(&group),
		client.Get().AbsPath("/apis/apps/v1").Do(ctx).Into(&resources),
	); err != nil {
		return err
	}
	for _, one := range resources.APIResources {
		if one.Name != "deployments" {
			continue
		}
		return first(
			equal(strings.Join(versions.Versions, ","), "v1"),
			equal(len(groups.Groups) > 15, true),
			equal(group.PreferredVersion.GroupVersion, "apps/v1"),
			equal(one.Kind, "Deployment"),
			equal(strings.Join(one.Verbs, ","), "create,delete,deletecollection,get,list,patch,update,watch"),
			equal(strings.Join(one.ShortNames, ","), "deploy"),
			equal(one.Namespaced, true),
		)
	}
	return fmt.Errorf("apps/v1 has no deployments")
}

func (c *clients) deleteCollection(ctx context.Context) error {
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	selected := meta.ListOptions{LabelSelector: "set=listed"}
	if err := api.DeleteCollection(ctx, meta.DeleteOptions{}, selected); err != nil {
		return err
	}
	list, err := api.List(ctx, selected)
	if err != nil {
		return err
	}
	return equal(len(list.Items), 0)
}

// onlyProtobuf names the content types of the answers that were not protobuf.
func onlyProtobuf(context.Context) error {
	answers.Lock()
	defer answers.Unlock()
	var others []string
	for contentType, count := range answers.types {
		if count > 0 && !strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf") {
			others = append(others, fmt.Sprintf("%d %q", count, contentType))
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("%s", strings.Join(others, ", "))
	}
	return equal(answers.types["application/vnd.kubernetes.protobuf"] > 30, true)
}
