import { Select, SimpleGrid, TextInput } from '@mantine/core'
import type { FormRulesRecord, UseFormReturnType } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { NameFields } from '../../domain/tenants/name-fields.tsx'
import { namingRules } from '../../domain/tenants/slug.ts'
import { looksLikeEmail } from '../../lib/looks-like-email.ts'
import { inRange, limitRange } from '../../lib/number-range.ts'
import { NumberField } from '../../ui/number-field.tsx'
import { planNames, typeNames } from './partner-labels.ts'

export const valuesOf = (partner?: Partner) => ({
  name: partner?.name ?? '',
  slug: partner?.slug ?? '',
  type: partner?.type ?? ('msp' as const),
  plan: partner?.plan ?? ('free' as const),
  maxOrganizations: (partner?.maxOrganizations ?? '') as number | string,
  maxDevices: (partner?.maxDevices ?? '') as number | string,
  billingEmail: partner?.billingEmail ?? '',
})
export type Values = ReturnType<typeof valuesOf>

export const rulesFor = (stored?: Partner): FormRulesRecord<Values> => ({
  ...namingRules(stored),
  maxOrganizations: inRange(limitRange),
  maxDevices: inRange(limitRange),
  billingEmail: (email) => (!email.trim() || looksLikeEmail(email) ? null : 'Enter an email address'),
})

const capOf = (entered: number | string) => (entered === '' ? null : Number(entered))

/** The given fields in the format of the API. */
export function bodyOf<Part extends Partial<Values>>({ maxOrganizations, maxDevices, billingEmail, ...rest }: Part) {
  return {
    ...rest,
    ...(maxOrganizations !== undefined && { maxOrganizations: capOf(maxOrganizations) }),
    ...(maxDevices !== undefined && { maxDevices: capOf(maxDevices) }),
    ...(billingEmail !== undefined && { billingEmail: billingEmail.trim() || null }),
  }
}

const options = <Value extends string>(names: Record<Value, string>) =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }))

interface Props {
  form: UseFormReturnType<Values>
  isEditable: boolean
  isNew?: boolean
}

export function PartnerFields({ form, isEditable, isNew }: Props) {
  const readOnly = !isEditable
  const isUnlimited = form.values.plan === 'unlimited'
  const limit = {
    range: limitRange,
    readOnly,
    placeholder: 'No limit',
    disabled: isUnlimited,
  }
  return (
    <>
      <NameFields form={form} about="Unique on this appliance and never reused." isFirst={isNew} readOnly={readOnly} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Type"
          data={options(typeNames)}
          allowDeselect={false}
          readOnly={readOnly}
          {...form.getInputProps('type')}
        />
        <Select
          label="Plan"
          data={options(planNames)}
          allowDeselect={false}
          readOnly={readOnly}
          {...form.getInputProps('plan')}
        />
        <NumberField label="Organization limit" {...limit} {...form.getInputProps('maxOrganizations')} />
        <NumberField label="Device limit" {...limit} {...form.getInputProps('maxDevices')} />
      </SimpleGrid>
      <TextInput
        label="Billing email"
        type="email"
        maxLength={255}
        readOnly={readOnly}
        {...form.getInputProps('billingEmail')}
      />
    </>
  )
}
