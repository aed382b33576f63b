import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { addOrganization, organizationTreeQuery } from '../../../data/organizations.ts'
import { changeOwnPartner } from '../../../data/partner.ts'
import { addSite } from '../../../data/sites.ts'
import { slugOf } from '../../../domain/tenants/slug.ts'
import { fieldErrorsOf } from '../../../lib/error-messages.ts'
import { queryClient } from '../../../lib/query-client.ts'
import { meQuery, useMe } from '../../../lib/session.ts'
import { browserTimeZone } from '../../../lib/time-zones.ts'
import { FormError } from '../../../ui/form-error.tsx'
import { TimeZoneSelect } from '../../../ui/time-zone-select.tsx'

/**
 * Creates organization and site in one form, and says the company's time zone. If only the site failed, a second try does
 * not create the organization again.
 */
export function OrganizationStep({ onDone }: { onDone: () => void }) {
  const organizations = useQuery(organizationTreeQuery)
  const existing = organizations.data?.[0]
  const company = useMe().partnerName ?? ''
  const form = useForm({
    initialValues: { organization: existing?.name ?? company, site: '', timezone: browserTimeZone() },
    validate: {
      organization: (name) => (slugOf(name) ? null : 'Enter a name with at least one letter or digit'),
      site: (name) => (name.trim() ? null : 'Enter a name, such as the city or “Head office”'),
    },
  })
  const create = useMutation({
    mutationFn: async (values: typeof form.values) => {
      await changeOwnPartner.mutationFn({ settings: { timezone: values.timezone } })
      const organization =
        existing ?? (await addOrganization.mutationFn({ name: values.organization, slug: slugOf(values.organization) }))
      await addSite.mutationFn({ orgId: organization.id, name: values.site, timezone: values.timezone })
    },
    onSuccess: onDone,
    onError: (error) => {
      const { name, slug, ...others } = fieldErrorsOf(error)
      form.setErrors({ ...others, ...((name || slug) && { organization: name ?? slug }) })
    },
    onSettled: () =>
      Promise.all([addOrganization.onSuccess(), queryClient.invalidateQueries({ queryKey: meQuery.queryKey })]),
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <Stack>
        <FormError error={create.error} />
        <TextInput
          label="Organization"
          description="Your own company, a subsidiary, or a customer."
          autoFocus
          disabled={Boolean(existing)}
          {...form.getInputProps('organization')}
        />
        <TextInput
          label="First site"
          description="For example an office, a building or a data center."
          {...form.getInputProps('site')}
        />
        <TimeZoneSelect
          label="Time zone"
          description="For your company, this site and new ones. Each site can have its own."
          {...form.getInputProps('timezone')}
        />
        <Button type="submit" fullWidth loading={create.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
