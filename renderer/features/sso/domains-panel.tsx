import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { addDomain, domainsQuery } from '../../data/sso-providers.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import classes from './domain-row.module.css'
import { DomainRow } from './domain-row.tsx'

interface Props {
  orgId: string
  isEditable: boolean
}

/** The email domains that the organization has verified. */
export function DomainsPanel({ orgId, isEditable }: Props) {
  const domains = useQuery(domainsQuery(orgId))
  return (
    <Panel title="Verified domains">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          People who enter an email address at a verified domain on the sign-in page are sent to your identity provider.
          Once a domain is verified, only people of verified domains can sign in for the first time; people who have
          signed in before aren’t affected.
        </Text>
        <Listed of={domains} lines={2} empty="No verified domains.">
          {(all) => (
            <ul className={classes.list}>
              {all.map((domain) => (
                <DomainRow key={domain.id} domain={domain} domains={all} isEditable={isEditable} />
              ))}
            </ul>
          )}
        </Listed>
        {isEditable && <AddDomain orgId={orgId} />}
      </Stack>
    </Panel>
  )
}

function AddDomain({ orgId }: { orgId: string }) {
  const form = useForm({
    initialValues: { domain: '' },
    validate: { domain: (domain) => (domain.trim() ? null : 'Enter a domain') },
  })
  const { mutationFn, onSuccess } = addDomain(orgId)
  const saving = useFormSubmission(form, {
    mutationFn,
    onSuccess: async () => {
      form.reset()
      await onSuccess()
    },
  })
  return (
    <form onSubmit={saving.submit} noValidate aria-label="Add domain">
      <Stack gap="sm">
        <FormError error={saving.error} />
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Domain"
            description="The part of your people’s addresses after the @. Add subdomains separately."
            placeholder="contoso.com"
            flex="1 1 220px"
            autoComplete="off"
            spellCheck={false}
            maxLength={253}
            {...form.getInputProps('domain')}
          />
          <Button type="submit" variant="default" loading={saving.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
