package main

import (
	"context"
	"fmt"
	"time"

	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
)

func deployment(name string) *apps.Deployment {
	labels := map[string]string{"app": name}
	replicas := int32(2)
	unavailable := intstr.FromString("25%")
	return &apps.Deployment{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: labels, Annotations: map[string]string{"size": "größe"}},
		Spec: apps.DeploymentSpec{
			Replicas: &replicas,
			Selector: &meta.LabelSelector{MatchLabels: labels},
			Strategy: apps.DeploymentStrategy{
				Type:          apps.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &apps.RollingUpdateDeployment{MaxUnavailable: &unavailable},
			},
			Template: core.PodTemplateSpec{
				ObjectMeta: meta.ObjectMeta{Labels: labels},
				Spec: core.PodSpec{
					Containers: []core.Container{{
						Name:  "app",
						Image: "nginx",
						Env:   []core.EnvVar{{Name: "A", Value: "1"}},
						Ports: []core.ContainerPort{{ContainerPort: 80}},
						Resources: core.ResourceRequirements{
							Requests: core.ResourceList{core.ResourceCPU: resource.MustParse("250m")},
						},
						LivenessProbe: &core.Probe{ProbeHandler: core.ProbeHandler{
							HTTPGet: &core.HTTPGetAction{Path: "/", Port: intstr.FromInt32(80)},
						}},
					}},
				},
			},
		},
	}
}

func (c *clients) createAndGet(ctx context.Context) error {
	space := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace}}
	if _, err := c.kubernetes.CoreV1().Namespaces().Create(ctx, space, meta.CreateOptions{}); err != nil {
		return err
	}
	api := c.kubernetes.AppsV1().Deployments(namespace)
	sent := deployment("web")
	created, err := api.Create(ctx, sent, meta.CreateOptions{FieldManager: "go"})
	if err != nil {
		return err
	}
	got, err := api.Get(ctx, "web", meta.GetOptions{})
	if err != nil {
		return err
	}
	if !equality.Semantic.DeepEqual(created, got) {
		return fmt.Errorf("created %v, got %v", created, got)
	}
	container := got.Spec.Template.Spec.Containers[0]
	return first(
		equal(got.Annotations["size"], "größe"),
		equal(*got.Spec.Replicas, 2),
		equal(got.Spec.Strategy.RollingUpdate.MaxUnavailable.String(), "25%"),
		equal(container.Resources.Requests.Cpu().String(), "250m"),
		equal(container.LivenessProbe.HTTPGet.Port.IntValue(), 80),
		equal(container.TerminationMessagePath, "/dev/termination-log"),
		equal(got.UID != "", true),
		equal(time.Since(got.CreationTimestamp.Time) < time.Minute, true),
		equal(len(got.ManagedFields) > 0 && got.ManagedFields[0].Manager == "go", true),
	)
}

func configMap(name, value string) *core.ConfigMap {
	return &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{"set": "listed"}},
		Data:       map[string]string{"key": value},
	}
}

func (c *clients) list(ctx context.Context) error {
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	for _, name := range []string{"a", "b", "c"} {
		if _, err := api.Create(ctx, configMap(name, name), meta.CreateOptions{}); err != nil {
			return err
		}
	}
	list, err := api.List(ctx, meta.ListOptions{LabelSelector: "set=listed"})
	if err != nil {
		return err
	}
	if err := equal(len(list.Items), 3); err != nil {
		return err
	}
	for index, name := range []string{"a", "b", "c"} {
		item := list.Items[index]
		if err := first(equal(item.Name, name), equal(item.Data["key"], name), equal(item.ResourceVersion != "", true)); err != nil {
			return err
		}
	}
	empty, err := api.List(ctx, meta.ListOptions{LabelSelector: "set=none"})
	if err != nil {
		return err
	}
	return first(equal(list.ResourceVersion != "", true), equal(len(empty.Items), 0), equal(empty.ResourceVersion != "", true))
}

func (c *clients) pages(ctx context.Context) error {
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	one, err := api.List(ctx, meta.ListOptions{LabelSelector: "set=listed", Limit: 2})
	if err != nil {
		return err
	}
	two, err := api.List(ctx, meta.ListOptions{LabelSelector: "set=listed", Limit: 2, Continue: one.Continue})
	if err != nil {
		return err
	}
	return first(
		equal(len(one.Items), 2),
		equal(one.Continue != "", true),
		equal(len(two.Items), 1),
		equal(two.Continue, ""),
		equal(two.ResourceVersion, one.ResourceVersion),
	)
}

func (c *clients) conflict(ctx context.Context) error {
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	stale, err := api.Get(ctx, "a", meta.GetOptions{})
	if err != nil {
		return err
	}
	fresh := stale.DeepCopy()
	fresh.Data["key"] = "fresh"
	updated, err := api.Update(ctx, fresh, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	stale.Data["key"] = "stale"
	_, err = api.Update(ctx, stale, meta.UpdateOptions{})
	return first(equal(updated.Data["key"], "fresh"), equal(errors.IsConflict(err), true))
}

func (c *clients) patches(ctx context.Context) error {
	api := c.kubernetes.CoreV1().ConfigMaps(namespace)
	for _, patch := range []struct {
		kind types.PatchType
		body string
		key  string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/data/json","value":"1"}]`, "json"},
		{types.MergePatchType, `{"data":{"merge":"1"}}`, "merge"},
		{types.StrategicMergePatchType, `{"data":{"strategic":"1"}}`, "strategic"},
	} {
		patched, err := api.Patch(ctx, "b", patch.kind, []byte(patch.body), meta.PatchOptions{})
		if err != nil {
			return err
		}
		if err := equal(patched.Data[patch.key], "1"); err != nil {
			return err
		}
	}
	return nil
}

func (c *clients) apply(ctx context.Context) error {
	api := c.kubernetes.AppsV1().Deployments(namespace)
	labels := map[string]string{"app": "applied"}
	wanted := func(image string) *applyapps.DeploymentApplyConfiguration {
		container := applycore.Container().WithName("app").WithImage(image)
		template := applycore.PodTemplateSpec().WithLabels(labels).WithSpec(applycore.PodSpec().WithContainers(container))
		selector := applymeta.LabelSelector().WithMatchLabels(labels)
		return applyapps.Deployment("applied", namespace).
			WithSpec(applyapps.DeploymentSpec().WithSelector(selector).WithTemplate(template))
	}
	if _, err := api.Apply(ctx, wanted("nginx:1"), meta.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	_, err := api.Apply(ctx, wanted("nginx:2"), meta.ApplyOptions{FieldManager: "two"})
	if err := equal(errors.IsConflict(err), true); err != nil {
		return err
	}
	forced, err := api.Apply(ctx, wanted("nginx:2"), meta.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	// What a manager owns is read out of the fieldsV1 of the answer.
	owned, err := applyapps.ExtractDeployment(forced, "two")
	if err != nil {
		return err
	}
	return first(
		equal(forced.Spec.Template.Spec.Containers[0].Image, "nginx:2"),
		equal(*owned.Spec.Template.Spec.Containers[0].Image, "nginx:2"),
	)
}

func (c *clients) scale(ctx context.Context) error {
	api := c.kubernetes.AppsV1().Deployments(namespace)
	scale, err := api.GetScale(ctx, "web", meta.GetOptions{})
	if err != nil {
		return err
	}
	wanted := &autoscaling.Scale{ObjectMeta: scale.ObjectMeta, Spec: autoscaling.ScaleSpec{Replicas: 5}}
	scaled, err := api.UpdateScale(ctx, "web", wanted, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	return first(equal(scale.Spec.Replicas, 2), equal(scale.Status.Selector, "app=web"), equal(scaled.Spec.Replicas, 5))
}

func (c *clients) status(ctx context.Context) error {
	api := c.kubernetes.AppsV1().Deployments(namespace)
	got, err := api.Get(ctx, "web", meta.GetOptions{})
	if err != nil {
		return err
	}
	got.Status.Replicas = 4
	got.Spec.Paused = true
	updated, err := api.UpdateStatus(ctx, got, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	return first(equal(updated.Status.Replicas, 4), equal(updated.Spec.Paused, false))
}

func (c *clients) microTime(ctx context.Context) error {
	renewed := meta.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
	lease := &coordination.Lease{ObjectMeta: meta.ObjectMeta{Name: "lease"}, Spec: coordination.LeaseSpec{RenewTime: &renewed}}
	created, err := c.kubernetes.CoordinationV1().Leases(namespace).Create(ctx, lease, meta.CreateOptions{})
	if err != nil {
		return err
	}
	return equal(created.Spec.RenewTime.UnixNano(), renewed.UnixNano())
}

func (c *clients) scalars(ctx context.Context) error {
	bytes := []byte{0, 1, 0xff}
	secret := &core.Secret{ObjectMeta: meta.ObjectMeta{Name: "bytes"}, Data: map[string][]byte{"raw": bytes, "none": {}}}
	kept, err := c.kubernetes.CoreV1().Secrets(namespace).Create(ctx, secret, meta.CreateOptions{})
	if err != nil {
		return err
	}
	port := intstr.FromString("web")
	service := &core.Service{
		ObjectMeta: meta.ObjectMeta{Name: "ports"},
		Spec: core.ServiceSpec{Ports: []core.ServicePort{
			{Name: "named", Port: 80, TargetPort: port},
			{Name: "numbered", Port: 81, TargetPort: intstr.FromInt32(8081)},
		}},
	}
	served, err := c.kubernetes.CoreV1().Services(namespace).Create(ctx, service, meta.CreateOptions{})
	if err != nil {
		return err
	}
	quota := &core.ResourceQuota{
		ObjectMeta: meta.ObjectMeta{Name: "quota"},
		Spec:       core.ResourceQuotaSpec{Hard: core.ResourceList{core.ResourceMemory: resource.MustParse("1536Mi")}},
	}
	limited, err := c.kubernetes.CoreV1().ResourceQuotas(namespace).Create(ctx, quota, meta.CreateOptions{})
	if err != nil {
		return err
	}
	return first(
		equal(string(kept.Data["raw"]), string(bytes)),
		equal(len(kept.Data), 2),
		equal(served.Spec.Ports[0].TargetPort.StrVal, "web"),
		equal(served.Spec.Ports[1].TargetPort.IntVal, 8081),
		equal(limited.Spec.Hard.Memory().Value(), int64(1536*1024*1024)),
	)
}

func (c *clients) reviews(ctx context.Context) error {
	request := &authentication.TokenRequest{}
	token, err := c.kubernetes.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "default", request, meta.CreateOptions{})
	if err != nil {
		return err
	}
	question := &authentication.TokenReview{Spec: authentication.TokenReviewSpec{Token: token.Status.Token}}
	review, err := c.kubernetes.AuthenticationV1().TokenReviews().Create(ctx, question, meta.CreateOptions{})
	if err != nil {
		return err
	}
	access := &authorization.SelfSubjectAccessReview{Spec: authorization.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorization.ResourceAttributes{Verb: "get", Resource: "pods"},
	}}
	allowed, err := c.kubernetes.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, access, meta.CreateOptions{})
	if err != nil {
		return err
	}
	return first(
		equal(review.Status.User.Username, "system:serviceaccount:"+namespace+":default"),
		equal(allowed.Status.Allowed, true),
	)
}
