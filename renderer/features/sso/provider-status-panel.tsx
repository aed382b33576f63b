import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SsoProvider, SsoProviderStatus } from '../../../shared/api/sso-providers.ts'
import { providersQuery, setProviderStatus } from '../../data/sso-providers.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/panel.tsx'
import { areMissingText, missingText, providerStatusNames } from './provider-labels.ts'
import { ReadinessProblems } from './readiness-problems.tsx'
import { SignInMethods } from './sign-in-methods.tsx'
import { useSsoOwner } from './sso-owner.ts'

/** Status of the provider, and what prevents users from signing in. */
export function ProviderStatusPanel({ provider }: { provider: SsoProvider }) {
  const { id, name, type, status, enforceSSO } = provider
  const older = useOlder(provider)
  const isComplete = missingText(provider).length === 0
  const change = useMutation({ ...setProviderStatus(id), onError: notifyFailed(`${name} wasn’t changed`) })
  const go = async (next: SsoProviderStatus) => {
    if (!(await confirmStatus(next, provider))) return
    change.mutate(next, { onSuccess: () => notifyDone(`${name} ${outcomes[next]}`) })
  }
  if (type === 'saml')
    return (
      <Panel title="Status">
        <Text size="sm">SAML sign-in isn’t supported: these settings are saved for later.</Text>
      </Panel>
    )
  return (
    <Panel title="Status">
      <Stack gap="sm">
        <Text size="sm">
          <b>{providerStatusNames[status].word}.</b> {providerStatusNames[status].meaning}
          {status === 'active' && enforceSSO && ' Passwords are off.'}
        </Text>
        {status === 'testing' && provider.orgId && (
          <Text size="sm">For the people of the organization, not those of the company.</Text>
        )}
        {status === 'active' && isComplete && !older && <SignInMethods provider={provider} />}
        <ReadinessProblems provider={provider} older={older} />
        <Group gap="xs">
          {buttons[status].map(({ to, label }, at) => (
            <Button
              key={to}
              size="xs"
              variant={at === 0 && to !== 'inactive' && isComplete ? 'filled' : 'default'}
              loading={change.isPending && change.variables === to}
              onClick={() => go(to)}
            >
              {label}
            </Button>
          ))}
        </Group>
      </Stack>
    </Panel>
  )
}

const outcomes: Record<SsoProviderStatus, string> = { inactive: 'is off', testing: 'can be tested', active: 'is on' }

const buttons: Record<SsoProviderStatus, { to: SsoProviderStatus; label: string }[]> = {
  inactive: [
    { to: 'testing', label: 'Start testing' },
    { to: 'active', label: 'Turn on' },
  ],
  testing: [
    { to: 'active', label: 'Turn on' },
    { to: 'inactive', label: 'Turn off' },
  ],
  active: [
    { to: 'inactive', label: 'Turn off' },
    { to: 'testing', label: 'Back to testing' },
  ],
}

/** The name of the older provider that is offered instead. */
function useOlder({ id, status }: SsoProvider): string | undefined {
  const all = useQuery(providersQuery(useSsoOwner())).data ?? []
  if (status !== 'active') return undefined
  const first = all.find(({ status }) => status === 'active')
  return first && first.id !== id ? first.name : undefined
}

/** Changes that affect others are confirmed. */
function confirmStatus(next: SsoProviderStatus, provider: SsoProvider): boolean | Promise<boolean> {
  const { name, status, enforceSSO } = provider
  if (next === 'active') return confirmActivation(provider)
  if (status !== 'active') return true
  return askToConfirm({
    title: `Remove ${name} from the sign-in page?`,
    consequences: [
      `Current sessions continue. From now on people need their password${enforceSSO ? ', which works again immediately' : ''}; those without one can set one with “Forgot your password?”.`,
      'Sign-ins that are in progress will fail.',
    ],
    confirm: next === 'testing' ? 'Back to testing' : 'Turn off',
  })
}

function confirmActivation(provider: SsoProvider): boolean | Promise<boolean> {
  const missing = missingText(provider)
  if (missing.length === 0 && !provider.enforceSSO) return true
  return askToConfirm({
    title: `Turn on ${provider.name} anyway?`,
    consequences: [
      missing.length > 0 && `Nobody can sign in with it yet: ${areMissingText(missing)}.`,
      provider.enforceSSO && 'Passwords are set to be off with it: nobody will be able to sign in with a password.',
    ],
    confirm: 'Turn on',
  })
}
