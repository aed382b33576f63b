import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { CreatedEnrollmentKey } from '../../../data/enrollment-keys.ts'
import { addEnrollmentKey } from '../../../data/enrollment-keys.ts'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { sitesQuery } from '../../../data/sites.ts'
import { enrollmentClosedReason } from '../../../domain/organizations/enrollment-closed.ts'
import { NoOrganization } from '../../../domain/organizations/no-organization.tsx'
import { OrganizationSelect } from '../../../domain/organizations/organization-select.tsx'
import { NoSite } from '../../../domain/sites/new-site.tsx'
import { siteOptions } from '../../../domain/sites/site-names.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { dateOnly } from '../../../lib/format.ts'
import { inRange, keyUsageRange } from '../../../lib/number-range.ts'
import { usePreselectOnlyOption } from '../../../lib/use-preselect-only-option.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { NumberField } from '../../../ui/number-field.tsx'
import { LoadFailed, SkeletonLines } from '../../../ui/states.tsx'
import { DeviceLimitNotice } from '../device-limit-notice.tsx'
import { ExpirySelect, toTtlMinutes } from '../expiry-select.tsx'
import { useNewSite } from '../use-new-site.tsx'

interface Props {
  /** Preselected. */
  orgId: string | undefined
  onCreated: (key: CreatedEnrollmentKey) => void
}

/** Where the devices will belong, and how many may use the key. */
export function DeviceKeyForm({ orgId: selectedOrgId, onCreated }: Props) {
  const organizations = useQuery(organizationTreeQuery)
  const form = useForm({
    initialValues: { orgId: selectedOrgId ?? '', siteId: '', maxUsage: 1 as number | string, expiry: '30d' },
    validate: {
      orgId: (orgId) => (orgId ? null : 'Choose an organization'),
      siteId: (siteId) => (siteId ? null : 'Choose a site'),
      maxUsage: inRange(keyUsageRange),
    },
  })
  const { orgId, siteId } = form.values
  const chosen = organizations.data?.find(({ id }) => id === orgId)
  const reason = chosen ? enrollmentClosedReason(chosen) : null
  const sites = useQuery({ ...sitesQuery(orgId), enabled: Boolean(orgId) })
  const site = useNewSite(chosen, (id) => form.setFieldValue('siteId', id))
  usePreselectOnlyOption(organizations.data, orgId, (id) => form.setFieldValue('orgId', id))
  usePreselectOnlyOption(sites.data, siteId, (id) => form.setFieldValue('siteId', id))

  const create = useMutation({
    mutationFn: ({ expiry, maxUsage, ...owner }: typeof form.values) => {
      const siteName = sites.data?.find((site) => site.id === owner.siteId)?.name ?? 'device'
      const name = `${siteName}, ${dateOnly(new Date().toISOString())}`
      return addEnrollmentKey.mutationFn({
        ...owner,
        name,
        maxUsage: Number(maxUsage),
        ttlMinutes: toTtlMinutes(expiry),
      })
    },
    onSuccess: async (key) => {
      onCreated(key)
      await addEnrollmentKey.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })

  if (organizations.error) return <LoadFailed error={organizations.error} onRetry={organizations.refetch} />
  if (!organizations.data) return <SkeletonLines count={4} height={34} />
  if (organizations.data.length === 0)
    return <NoOrganization>Every device belongs to an organization, and there is none yet.</NoOrganization>
  if (site.newSite) return site.newSite
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          Creates an enrollment key for one site and a command to run on each device.
        </Text>
        {reason ? <Refusal reason={reason} /> : <DeviceLimitNotice orgId={orgId || undefined} />}
        <FormError error={create.error ?? sites.error} />
        <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
          <OrganizationSelect
            isFirst
            miw={220}
            organizations={organizations.data}
            {...form.getInputProps('orgId')}
            onChange={(id) => form.setValues({ orgId: id, siteId: '' })}
          />
          <Select
            label="Site"
            searchable
            miw={220}
            allowDeselect={false}
            disabled={!orgId}
            nothingFoundMessage={sites.isPending ? 'Loading…' : 'No sites match'}
            data={siteOptions(sites.data ?? [])}
            {...form.getInputProps('siteId')}
          />
        </Group>
        {!reason && sites.data?.length === 0 && (
          <NoSite onAdd={site.add}>Every device belongs to a site, and this organization has none yet.</NoSite>
        )}
        <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
          <NumberField
            label="Maximum devices"
            description="How many devices can use this key."
            miw={220}
            range={keyUsageRange}
            {...form.getInputProps('maxUsage')}
          />
          <ExpirySelect miw={220} {...form.getInputProps('expiry')} />
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending || sites.isLoading} disabled={reason !== null}>
            Show command
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Refusal({ reason }: { reason: string }) {
  return (
    <Notice tone="warn">
      <Text size="sm">{reason}</Text>
    </Notice>
  )
}
