import { Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { addEnrollmentKey } from '../../data/enrollment-keys.ts'
import { organizationTreeQuery } from '../../data/organizations.ts'
import { sitesQuery } from '../../data/sites.ts'
import { enrollmentClosedReason } from '../../domain/organizations/enrollment-closed.ts'
import { NoOrganization } from '../../domain/organizations/no-organization.tsx'
import { OrganizationSelect } from '../../domain/organizations/organization-select.tsx'
import { NoSite } from '../../domain/sites/new-site.tsx'
import { siteOptions } from '../../domain/sites/site-names.ts'
import { inRange, keyUsageRange } from '../../lib/number-range.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { usePreselectOnlyOption } from '../../lib/use-preselect-only-option.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { showCreatedKey } from './created-key-dialog.tsx'
import { DeviceLimitNotice } from './device-limit-notice.tsx'
import { ExpirySelect, toTtlMinutes } from './expiry-select.tsx'
import { useNewSite } from './use-new-site.tsx'

/** Creates a key for scripts and roll-outs; "Add a device" creates one for a single machine. */
export function KeyForm(props: { orgId: string | undefined; onDone: () => void }) {
  return (
    <Listed
      of={useQuery(organizationTreeQuery)}
      lines={4}
      empty={<NoOrganization>A key lets devices join a site of an organization, and there is none yet.</NoOrganization>}
    >
      {(organizations) => <Fields {...props} organizations={organizations} />}
    </Listed>
  )
}

interface FieldsProps {
  organizations: readonly Organization[]
  /** Preselected. */
  orgId: string | undefined
  onDone: () => void
}

function Fields({ organizations, orgId, onDone }: FieldsProps) {
  const initialValues = { name: '', orgId: orgId ?? '', siteId: '', maxUsage: 1 as number | string, expiry: '30d' }
  const chosenOf = (id: string) => organizations.find((one) => one.id === id)
  const closedReason = (id: string) => {
    const chosen = chosenOf(id)
    return chosen ? enrollmentClosedReason(chosen) : null
  }
  const form = useForm({
    initialValues,
    validate: {
      name: (name) => (name.trim() ? null : 'Enter a name'),
      orgId: (id) => (id ? closedReason(id) : 'Choose an organization'),
      siteId: (id) => (id ? null : 'Choose a site'),
      maxUsage: inRange(keyUsageRange),
    },
  })
  const sites = useQuery({ ...sitesQuery(form.values.orgId), enabled: Boolean(form.values.orgId) }).data
  // A preselected value does not count as a change.
  const preselect = (owner: { orgId?: string; siteId?: string }) => {
    form.setValues(owner)
    form.resetDirty({ ...initialValues, orgId: form.values.orgId, ...owner })
  }
  usePreselectOnlyOption(organizations, form.values.orgId, (id) => preselect({ orgId: id }))
  usePreselectOnlyOption(sites, form.values.siteId, (id) => preselect({ siteId: id }))
  const saving = useFormSubmission(form, {
    mutationFn: ({ expiry, maxUsage, ...rest }) =>
      addEnrollmentKey.mutationFn({ ...rest, maxUsage: Number(maxUsage), ttlMinutes: toTtlMinutes(expiry) }),
    onSuccess: async (key) => {
      onDone()
      showCreatedKey(key)
      await addEnrollmentKey.onSuccess()
    },
  })
  const chosen = chosenOf(form.values.orgId)
  const reason = closedReason(form.values.orgId)
  const site = useNewSite(chosen, (id) => form.setFieldValue('siteId', id))
  if (site.newSite) return site.newSite
  return (
    <DialogForm saving={saving} action="Create">
      <DeviceLimitNotice orgId={form.values.orgId || undefined} />
      <TextInput label="Name" autoFocus data-autofocus maxLength={255} {...form.getInputProps('name')} />
      <OrganizationSelect
        organizations={organizations}
        {...form.getInputProps('orgId')}
        error={form.errors.orgId ?? reason}
        onChange={(id) => form.setValues({ orgId: id, siteId: '' })}
      />
      {sites?.length === 0 && !reason ? (
        <NoSite onAdd={site.add}>A key is for one site, and this organization has none yet.</NoSite>
      ) : (
        <Select
          label="Site"
          searchable
          allowDeselect={false}
          disabled={!form.values.orgId}
          data={siteOptions(sites ?? [])}
          {...form.getInputProps('siteId')}
        />
      )}
      <NumberField
        label="Maximum devices"
        description="For a roll-out, allow about 20 % more than you have devices."
        range={keyUsageRange}
        {...form.getInputProps('maxUsage')}
      />
      <ExpirySelect {...form.getInputProps('expiry')} />
    </DialogForm>
  )
}
