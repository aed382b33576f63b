import { Button, Group, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { FormEvent, ReactNode } from 'react'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import type { SsoOwner } from '../../data/sso-providers.ts'
import { ApiError } from '../../lib/api-error.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { CallbackAddress } from './callback-address.tsx'
import { ConnectionFields, type IssuerInput } from './connection-fields.tsx'
import { PeopleFields } from './people-fields.tsx'
import type { PresetOption } from './presets.ts'
import { ProviderError } from './provider-error.tsx'
import type { ProviderValues } from './provider-values.ts'
import { SamlFields } from './saml-fields.tsx'

interface Props {
  form: UseFormReturnType<ProviderValues>
  choice: PresetOption
  owner: SsoOwner
  callbackUrl: string
  own?: IssuerInput | undefined
  /** The provider that is being edited. */
  provider?: SsoProvider
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  error: Error | null
  isPending: boolean
  action: string
  /** Shown next to the button. */
  children?: ReactNode
}

/** The form of a provider: registration, connection, people. */
export function ProviderForm(props: Props) {
  const { form, choice, onSubmit, error, isPending, action, children } = props
  return (
    <form onSubmit={onSubmit} noValidate aria-label="Identity provider">
      <Stack gap="md">
        {choice.type === 'saml' ? (
          <Panel title="Settings">
            <Stack gap="sm">
              <SamlFields form={form} preset={choice.preset} />
            </Stack>
          </Panel>
        ) : (
          <OpenIdPanels {...props} />
        )}
        <FormError error={error}>{isUnfound(error) && <ProviderError error={error.body.error ?? ''} />}</FormError>
        <Group>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
          {children}
        </Group>
      </Stack>
    </form>
  )
}

/** Discovery failed, so nothing was saved. */
const isUnfound = (error: Error | null): error is ApiError =>
  error instanceof ApiError && (error.code === 'oidc_discovery_failed' || error.code === 'unsafe_endpoint')

function OpenIdPanels({ form, choice, owner, callbackUrl, own, provider }: Props) {
  const { guide } = choice
  return (
    <>
      <Panel title={provider ? 'Redirect address' : '1. Register Homeport there'}>
        <CallbackAddress
          url={callbackUrl}
          how={provider ? 'As registered at the identity provider:' : guide.register}
        />
      </Panel>
      <Panel title={provider ? 'Connection' : '2. Enter its details'}>
        <Stack gap="sm">
          <ConnectionFields form={form} guide={guide} own={own} hasSecret={provider?.hasClientSecret ?? false} />
          <AdvancedFields form={form} hasEndpoints={provider !== undefined} />
        </Stack>
      </Panel>
      <Panel title={provider ? 'People' : '3. Choose who can sign in'}>
        <Stack gap="md">
          <PeopleFields form={form} owner={owner} guide={guide} />
        </Stack>
      </Panel>
    </>
  )
}
