import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Site } from '../../../shared/api/sites.ts'
import { fieldErrorsOf } from '../../lib/error-words.ts'
import { browserTimeZone } from '../../lib/time-zones.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { FormError } from '../../ui/form-error.tsx'
import { TimeZoneSelect } from '../../ui/time-zone-select.tsx'
import { addSite, changeSite } from './data.ts'

interface Props {
  orgId: string
  /** Left out to create one. */
  site?: Pick<Site, 'id' | 'name' | 'timezone'>
  onDone: () => void
}

export function SiteForm({ orgId, site, onDone }: Props) {
  const form = useForm({
    initialValues: { name: site?.name ?? '', timezone: site?.timezone ?? browserTimeZone() },
    validate: { name: (name) => (name.trim() ? null : 'Enter a name') },
  })
  useUnsaved(form.isDirty())
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      site ? changeSite(site.id).mutationFn(values) : addSite.mutationFn({ orgId, ...values }),
    onSuccess: async () => {
      onDone()
      await addSite.onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput label="Name" data-autofocus maxLength={255} {...form.getInputProps('name')} />
        <TimeZoneSelect label="Time zone" {...form.getInputProps('timezone')} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {site ? 'Save' : 'Create'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
