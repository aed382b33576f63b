import { Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { addOrganization } from '../../data/organizations.ts'
import { allPartnersQuery } from '../../data/partners.ts'
import {
  SameOrganizationNameHint,
  useOrganizationsNamedLike,
} from '../../domain/organizations/same-organization-name.tsx'
import { NameFields } from '../../domain/tenants/name-fields.tsx'
import { namingRules, withSlug } from '../../domain/tenants/slug.ts'
import { inRange, limitRange } from '../../lib/number-range.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { NumberField } from '../../ui/number-field.tsx'

/** Platform administrators also choose the partner. */
export function CreateForm({ onDone }: { onDone: (organization: Organization) => void }) {
  const isOperator = useMe().scope === 'system'
  const partners = useQuery({ ...allPartnersQuery, enabled: isOperator })
  const form = useForm({
    initialValues: { partnerId: '', name: '', slug: '', maxDevices: '' as number | string },
    validate: {
      ...namingRules(),
      partnerId: (id) => (isOperator && !id ? 'Choose a company' : null),
      maxDevices: inRange(limitRange),
    },
  })
  const { name, partnerId } = form.values
  const nameOwner = { name, partnerId: isOperator ? partnerId || null : undefined }
  const taken = useOrganizationsNamedLike(nameOwner).map(({ slug }) => slug)
  const saving = useFormSubmission(form, {
    mutationFn: ({ partnerId, maxDevices, ...naming }) =>
      addOrganization.mutationFn({
        ...withSlug(naming, taken),
        maxDevices: maxDevices === '' ? null : Number(maxDevices),
        ...(isOperator && { partnerId }),
      }),
    onSuccess: (saved) => {
      onDone(saved)
      return addOrganization.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Create">
      <FormError error={partners.error} />
      {isOperator && (
        <Select
          label="Company"
          data-autofocus
          searchable
          limit={50}
          allowDeselect={false}
          nothingFoundMessage={partners.isPending ? 'Loading…' : 'No companies match'}
          data={partners.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          {...form.getInputProps('partnerId')}
        />
      )}
      <NameFields
        form={form}
        about="Unique. Used in addresses and exports."
        hint={<SameOrganizationNameHint {...nameOwner} />}
        suggestion={withSlug({ name, slug: '' }, taken).slug}
        isFirst={!isOperator}
      />
      <NumberField
        label="Device limit"
        description="Leave empty for no limit."
        range={limitRange}
        {...form.getInputProps('maxDevices')}
      />
    </DialogForm>
  )
}
