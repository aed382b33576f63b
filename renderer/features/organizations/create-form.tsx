import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { inRange, limitRange } from '../../lib/number-range.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { addOrganization, companiesQuery } from './data.ts'
import { slugFrom } from './slug.ts'

/** The short name follows the name until someone writes their own. Who runs the platform also says whose it is. */
export function CreateForm({ onDone }: { onDone: (organization: Organization) => void }) {
  const isOperator = useMe().scope === 'system'
  const companies = useQuery({ ...companiesQuery, enabled: isOperator })
  const form = useForm({
    initialValues: { partnerId: '', name: '', slug: '', maxDevices: '' as number | string },
    validate: {
      maxDevices: inRange(limitRange),
      partnerId: (id) => (isOperator && !id ? 'Choose a company' : null),
      name: (name) => (name.trim() ? null : 'Enter a name'),
      slug: (slug, { name }) => (slug.trim() || slugFrom(name) ? null : 'Enter a short name'),
    },
  })
  useUnsaved(form.isDirty())
  const save = useMutation({
    mutationFn: ({ partnerId, name, slug, maxDevices }: typeof form.values) =>
      addOrganization.mutationFn({
        name,
        slug: slug.trim() || slugFrom(name),
        maxDevices: maxDevices === '' ? null : Number(maxDevices),
        ...(isOperator && { partnerId }),
      }),
    onSuccess: async (saved) => {
      onDone(saved)
      await addOrganization.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <FormError error={save.error ?? companies.error} />
        {isOperator && (
          <Select
            label="Company"
            data-autofocus
            searchable
            limit={50}
            allowDeselect={false}
            openOnFocus={false}
            nothingFoundMessage={companies.isPending ? 'Loading…' : 'No such company'}
            data={companies.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            {...form.getInputProps('partnerId')}
          />
        )}
        <TextInput
          label="Name"
          data-autofocus={!isOperator || undefined}
          maxLength={255}
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Short name"
          description="Unique; used in addresses and exports."
          placeholder={slugFrom(form.values.name)}
          maxLength={100}
          {...form.getInputProps('slug')}
        />
        <NumberField
          label="Device limit"
          description="Leave it empty for no limit."
          range={limitRange}
          {...form.getInputProps('maxDevices')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
