import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconMinus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { changeProvider, type ProviderWarnings, type TestResult, testProvider } from '../../data/sso-providers.ts'
import { ApiError } from '../../lib/api-error.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { Panel } from '../../ui/panel.tsx'
import { ProviderError } from './provider-error.tsx'
import { endpointLabels } from './provider-labels.ts'
import { endpointNames } from './provider-values.ts'
import classes from './test-panel.module.css'

interface Props {
  provider: SsoProvider
  onWarnings: (warnings: ProviderWarnings) => void
}

/** Runs the discovery of the identity provider and compares it with the stored endpoints. */
export function TestPanel({ provider, onWarnings }: Props) {
  const test = useMutation(testProvider(provider.id))
  const { mutationFn, onSuccess } = changeProvider(provider.id)
  const takeOver = useMutation({
    mutationFn,
    onSuccess: async (saved) => {
      test.reset()
      onWarnings(saved.warnings ?? [])
      if (!saved.data.discoveryError) notifyDone('Addresses updated')
      await onSuccess(saved)
    },
    onError: notifyFailed('The addresses weren’t updated'),
  })
  return (
    <Panel
      title="Test"
      actions={
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          {test.isIdle ? 'Test now' : 'Test again'}
        </Button>
      }
    >
      <Stack gap="sm">
        {!test.data && !test.error && (
          <Text size="sm" c="dimmed">
            Reads the provider’s discovery document and keys. Saves nothing and signs nobody in.
          </Text>
        )}
        {test.error && !test.isPending && <Failure error={test.error} />}
        {test.data && !test.isPending && (
          <Found
            result={test.data}
            provider={provider}
            isPending={takeOver.isPending}
            onTakeOver={() => takeOver.mutate({ rediscover: true })}
          />
        )}
      </Stack>
    </Panel>
  )
}

function Failure({ error }: { error: Error }) {
  const providerError = error instanceof ApiError && error.code === 'sso_test_failed' && error.body.error
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      {providerError ? <ProviderError error={providerError} /> : <Text size="sm">{messageFor(error)}</Text>}
    </Alert>
  )
}

interface FoundProps {
  result: TestResult
  provider: SsoProvider
  isPending: boolean
  onTakeOver: () => void
}

function Found({ result: { discovery, drift, network }, provider, isPending, onTakeOver }: FoundProps) {
  const found = {
    authorizationUrl: discovery.authorizationEndpoint,
    tokenUrl: discovery.tokenEndpoint,
    userInfoUrl: discovery.userInfoEndpoint,
    jwksUrl: discovery.jwksUri,
  }
  const stateOf = (name: keyof typeof found) =>
    drift.includes(name) ? 'other' : !found[name] ? 'none' : provider[name] ? 'same' : 'missing'
  const isKept = endpointNames.every((name) => ['same', 'none'].includes(stateOf(name)))
  return (
    <>
      <Group gap="xs" role="status">
        <Text size="sm">The provider responds.</Text>
        {network === 'private-allowlisted' && (
          <Badge size="sm" variant="light" color="gray">
            Private network
          </Badge>
        )}
      </Group>
      <ul className={classes.list}>
        {endpointNames.map((name) => (
          <Endpoint key={name} label={endpointLabels[name]} url={found[name]} state={stateOf(name)} />
        ))}
      </ul>
      {!isKept && (
        <Alert color="yellow" variant="light" p="sm">
          <Text size="sm" mb="xs">
            Saved addresses differ from the provider’s.
          </Text>
          <Button size="xs" variant="default" loading={isPending} onClick={onTakeOver}>
            Use the provider’s
          </Button>
        </Alert>
      )}
    </>
  )
}

/** States of an endpoint: as discovered, compared with what is stored. */
const states = {
  same: { Icon: IconCheck, text: '' },
  other: { Icon: IconAlertTriangle, text: ': a different one is saved' },
  missing: { Icon: IconAlertTriangle, text: ': none is saved yet' },
  none: { Icon: IconMinus, text: '' },
}

function Endpoint({ label, url, state }: { label: string; url: string | null; state: keyof typeof states }) {
  const { Icon, text } = states[state]
  return (
    <li className={classes.endpoint} data-state={state}>
      <Icon size={16} aria-hidden className={classes.icon} />
      <div>
        <Text size="sm">
          {label}
          {text}
        </Text>
        <Text size="xs" c="dimmed" className={url ? 'mono' : ''} style={{ overflowWrap: 'anywhere' }}>
          {url ?? 'The provider has none, and none is needed: the ID token has the details.'}
        </Text>
      </div>
    </li>
  )
}
