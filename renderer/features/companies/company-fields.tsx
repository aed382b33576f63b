import { Select, SimpleGrid, TextInput } from '@mantine/core'
import type { FormRulesRecord, UseFormReturnType } from '@mantine/form'
import type { Partner } from '../../../shared/api/partners.ts'
import { inRange, limitRange } from '../../lib/number-range.ts'
import { NumberField } from '../../ui/number-field.tsx'
import { slugFrom } from '../organizations/slug.ts'
import { planNames, typeNames } from './words.ts'

export const valuesOf = (company?: Partner) => ({
  name: company?.name ?? '',
  slug: company?.slug ?? '',
  type: company?.type ?? ('msp' as const),
  plan: company?.plan ?? ('free' as const),
  maxOrganizations: (company?.maxOrganizations ?? '') as number | string,
  maxDevices: (company?.maxDevices ?? '') as number | string,
  billingEmail: company?.billingEmail ?? '',
})
export type Values = ReturnType<typeof valuesOf>

export const rules: FormRulesRecord<Values> = {
  maxOrganizations: inRange(limitRange),
  maxDevices: inRange(limitRange),
  name: (name) => (name.trim() ? null : 'Enter a name'),
  slug: (_, values) => {
    const wanted = completed(values).slug
    if (!wanted) return 'Enter a short name'
    return /^[A-Za-z0-9][A-Za-z0-9._~-]*$/.test(wanted)
      ? null
      : 'Letters, digits and . _ ~ - only, a letter or digit first'
  },
  billingEmail: (email) => (!email.trim() || /^\S+@\S+$/.test(email.trim()) ? null : 'Enter an e-mail address'),
}

/** Where no short name is written, it follows from the name. */
export const completed = (values: Values): Values => ({ ...values, slug: values.slug.trim() || slugFrom(values.name) })

const capOf = (entered: number | string) => (entered === '' ? null : Number(entered))

/** The fields that are given, as the service takes them. */
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

export function CompanyFields({ form, isEditable, isNew }: Props) {
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
      <TextInput
        label="Name"
        data-autofocus={isNew}
        maxLength={255}
        readOnly={readOnly}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Short name"
        description="Unique on this appliance, and never given to another company."
        placeholder={slugFrom(form.values.name)}
        maxLength={100}
        readOnly={readOnly}
        {...form.getInputProps('slug')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Kind"
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
        label="E-mail for invoices"
        type="email"
        maxLength={255}
        readOnly={readOnly}
        {...form.getInputProps('billingEmail')}
      />
    </>
  )
}
