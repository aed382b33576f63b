import { Alert, Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { changeOrganization } from '../../data/organizations.ts'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { statusMeaning } from '../../domain/organizations/organization-status.tsx'
import { SameOrganizationNameHint } from '../../domain/organizations/same-organization-name.tsx'
import { NameFields } from '../../domain/tenants/name-fields.tsx'
import { namingRules, withSlug } from '../../domain/tenants/slug.ts'
import { notifyDone } from '../../lib/notify.ts'
import { inRange, limitRange } from '../../lib/number-range.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { FormError } from '../../ui/form-error.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LockedSettings } from './locked-settings.tsx'

interface Props {
  organization: Organization
  auditRetention: ReactNode
}

export function SettingsTab({ organization, auditRetention }: Props) {
  const mayWrite = can(useMe(), 'organizations:write')
  const frozen = isFrozen(organization)
  return (
    <Stack maw={640}>
      {frozen ? (
        <Alert variant="light" p="sm">
          {statusMeaning(organization)}
        </Alert>
      ) : (
        !mayWrite && (
          <Alert variant="light" p="sm">
            Read-only. To make changes you need the permission Organizations: Change.
          </Alert>
        )
      )}
      <Panel title="Organization">
        <SettingsForm organization={organization} isEditable={mayWrite && !frozen} />
      </Panel>
      {auditRetention}
      <LockedSettings orgId={organization.id} />
    </Stack>
  )
}

/** The value of a date input. */
const dayOf = (instant: string | null) => instant?.slice(0, 10) ?? ''

const valuesOf = ({ name, slug, type, contractStart, contractEnd, maxDevices }: Organization) => ({
  name,
  slug,
  type,
  contractStart: dayOf(contractStart),
  contractEnd: dayOf(contractEnd),
  maxDevices: (maxDevices ?? '') as number | string,
})

function SettingsForm({ organization, isEditable }: { organization: Organization; isEditable: boolean }) {
  const form = useForm({
    initialValues: valuesOf(organization),
    validate: {
      maxDevices: inRange(limitRange),
      ...namingRules(organization),
      contractEnd: (end, { contractStart }) => (end && end < contractStart ? 'The end is before the start' : null),
    },
  })
  const { mutationFn, onSuccess } = changeOrganization(organization.id)
  const saving = useFormSubmission(form, {
    mutationFn: ({ contractStart, contractEnd, maxDevices, ...values }) =>
      mutationFn({
        ...withSlug(values),
        contractStart: contractStart || null,
        contractEnd: contractEnd || null,
        maxDevices: maxDevices === '' ? null : Number(maxDevices),
      }),
    onSuccess: async (saved) => {
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone(`${saved.name} saved`)
      await onSuccess()
    },
  })
  const { id, partnerId } = organization
  const { name } = form.values
  const isRenamed = name !== organization.name
  const field = { readOnly: !isEditable }
  return (
    <form aria-label="Organization" data-read-only={!isEditable || undefined} onSubmit={saving.submit} noValidate>
      <Stack>
        <FormError error={saving.error} />
        <NameFields
          form={form}
          about="Unique. Used in addresses and exports."
          hint={isRenamed && <SameOrganizationNameHint name={name} partnerId={partnerId} except={id} />}
          {...field}
        />
        <Radio.Group label="Type" readOnly={!isEditable} {...form.getInputProps('type')}>
          <Group mt={6}>
            <Radio value="customer" label="Customer" />
            <Radio value="internal" label="Internal" />
          </Group>
        </Radio.Group>
        <Group grow align="flex-start" preventGrowOverflow={false} wrap="wrap">
          <TextInput label="Contract start" type="date" miw={160} {...field} {...form.getInputProps('contractStart')} />
          <TextInput label="Contract end" type="date" miw={160} {...field} {...form.getInputProps('contractEnd')} />
        </Group>
        <NumberField
          label="Device limit"
          description="Leave empty for no limit. Existing devices stay."
          range={limitRange}
          {...field}
          {...form.getInputProps('maxDevices')}
        />
        {isEditable && (
          <Group justify="flex-end">
            <Button type="submit" disabled={!form.isDirty()} loading={saving.isPending}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
