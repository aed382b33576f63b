import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { addOrganization, changeOrganization } from './data.ts'
import { slugFrom } from './slug.ts'

interface Props {
  /** Left out to create one. */
  organization?: Organization
  onDone: (organization: Organization) => void
}

/** The short name follows the name until someone writes their own. */
export function OrganizationForm({ organization, onDone }: Props) {
  const form = useForm({
    initialValues: {
      name: organization?.name ?? '',
      slug: organization?.slug ?? '',
      maxDevices: (organization?.maxDevices ?? '') as number | string,
    },
    validate: {
      name: (name) => (name.trim() ? null : 'Enter a name'),
      slug: (slug, { name }) => (slug.trim() || slugFrom(name) ? null : 'Enter a short name'),
    },
  })
  useUnsaved(form.isDirty())
  const save = useMutation({
    mutationFn: (values: typeof form.values) => {
      const body = {
        name: values.name,
        slug: values.slug.trim() || slugFrom(values.name),
        maxDevices: values.maxDevices === '' ? null : Number(values.maxDevices),
      }
      return organization ? changeOrganization(organization.id).mutationFn(body) : addOrganization.mutationFn(body)
    },
    onSuccess: async (saved) => {
      onDone(saved)
      await addOrganization.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput label="Name" data-autofocus maxLength={255} {...form.getInputProps('name')} />
        <TextInput
          label="Short name"
          description="Unique; used in addresses and exports."
          placeholder={slugFrom(form.values.name)}
          maxLength={100}
          {...form.getInputProps('slug')}
        />
        <NumberInput
          label="Device limit"
          description="Leave it empty for no limit."
          min={0}
          allowDecimal={false}
          {...form.getInputProps('maxDevices')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {organization ? 'Save' : 'Create'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
