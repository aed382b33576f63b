import { Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type ApiKeyScope, apiKeyRates } from '../../../shared/api/api-keys.ts'
import type { Organization } from '../../../shared/api/organizations.ts'
import { type CreatedApiKey, createApiKeyMutation } from '../../data/api-keys.ts'
import { organizationTreeQuery } from '../../data/organizations.ts'
import { NoOrganization } from '../../domain/organizations/no-organization.tsx'
import { OrganizationSelect } from '../../domain/organizations/organization-select.tsx'
import { inRange } from '../../lib/number-range.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { defaultExpiry, ExpiryField, expiresAtOf, expiryRules } from './expiry-field.tsx'
import { RateLimitField, rateLimitRange } from './rate-limit-field.tsx'
import { ScopeField } from './scope-field.tsx'

interface Props {
  /** Preselected. */
  orgId: string | undefined
  onCreated: (key: CreatedApiKey) => void
}

export function CreateForm({ orgId, onCreated }: Props) {
  const organizations = useQuery(organizationTreeQuery)
  return (
    <Listed of={organizations} lines={4} empty={noOrganization}>
      {(all) => {
        const inService = all.filter(({ status }) => status === 'active' || status === 'trial')
        if (inService.length === 0) return noOrganization
        const chosen = inService.length === 1 ? inService[0] : inService.find(({ id }) => id === orgId)
        return <Fields organizations={inService} orgId={chosen?.id ?? ''} onCreated={onCreated} />
      }}
    </Listed>
  )
}

const noOrganization = (
  <NoOrganization>API keys need an organization that is in service, and there is none.</NoOrganization>
)

interface FieldsProps {
  /** Only those in which keys can be created. */
  organizations: readonly Organization[]
  orgId: string
  onCreated: (key: CreatedApiKey) => void
}

function Fields({ organizations, orgId, onCreated }: FieldsProps) {
  const form = useForm({
    initialValues: {
      orgId,
      name: '',
      scopes: [] as ApiKeyScope[],
      rateLimit: apiKeyRates.default as number | string,
      ...defaultExpiry,
    },
    validate: {
      orgId: (id) => (id ? null : 'Choose an organization'),
      name: (name) => (name.trim() ? null : 'Enter a name'),
      scopes: (scopes) => (scopes.length > 0 ? null : 'Choose at least one'),
      rateLimit: inRange(rateLimitRange),
      ...expiryRules,
    },
  })
  const create = createApiKeyMutation(onCreated)
  const saving = useFormSubmission(form, {
    mutationFn: ({ orgId, name, scopes, rateLimit, ...expiry }) =>
      create.mutationFn({
        orgId,
        name: name.trim(),
        scopes,
        rateLimit: Number(rateLimit),
        expiresAt: expiresAtOf(expiry),
      }),
    onSuccess: create.onSuccess,
  })
  return (
    <DialogForm saving={saving} action="Create">
      <TextInput
        label="Name"
        description="The program or script that will use it."
        autoFocus
        data-autofocus
        maxLength={255}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <OrganizationSelect organizations={organizations} {...form.getInputProps('orgId')} />
      <ScopeField {...form.getInputProps('scopes')} />
      <Group gap="md" align="flex-start">
        <ExpiryField form={form} />
        <RateLimitField {...form.getInputProps('rateLimit')} />
      </Group>
    </DialogForm>
  )
}
