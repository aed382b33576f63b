import { Anchor, Button, Text } from '@mantine/core'
import { IconIdBadge2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SsoIdentity } from '../../../shared/api/sso-links.ts'
import { connectSsoIdentity, disconnectSsoIdentity, type SsoLink, ssoLinksQuery } from '../../data/sso-links.ts'
import { isInDesktopWindow } from '../../lib/desktop.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import classes from './factor-row.module.css'
import { FactorRow } from './factor-row.tsx'

/** Identity providers linked to the user's account. */
export function SsoLinksPanel() {
  return (
    <Panel title="Connections">
      <Listed of={useQuery(ssoLinksQuery)} lines={2} empty="No identity provider is available to connect.">
        {(connections) => (
          <>
            <Text size="sm" c="dimmed">
              Identity providers you can sign in with.
            </Text>
            <ul className={classes.list} aria-label="Connections">
              {connections.map((one) => (
                <Row key={one.identity?.id ?? one.providerId} connection={one} />
              ))}
            </ul>
            {isInDesktopWindow() && <InBrowser />}
          </>
        )}
      </Listed>
    </Panel>
  )
}

function Row({ connection: { providerId, providerName, identity } }: { connection: SsoLink }) {
  const action = identity ? (
    <Disconnect identity={identity} />
  ) : (
    !isInDesktopWindow() && <Connect providerId={providerId} providerName={providerName} />
  )
  return (
    <FactorRow icon={<IconIdBadge2 size={22} stroke={1.6} />} name={providerName} actions={action}>
      {identity ? <Used identity={identity} /> : 'Not connected.'}
    </FactorRow>
  )
}

function Used({ identity: { email, lastLoginAt } }: { identity: SsoIdentity }) {
  return (
    <>
      {email && `As ${email}. `}
      {lastLoginAt ? (
        <>
          Last used <RelativeTime at={lastLoginAt} />.
        </>
      ) : (
        'Never used to sign in.'
      )}
    </>
  )
}

function Connect({ providerId, providerName }: Pick<SsoLink, 'providerId' | 'providerName'>) {
  const start = useMutation({ ...connectSsoIdentity, onError: notifyFailed(`${providerName} wasn’t connected`) })
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`Connect ${providerName}`}
      loading={start.isPending}
      onClick={() => start.mutate(providerId)}
    >
      Connect
    </Button>
  )
}

function Disconnect({ identity: { id, providerName } }: { identity: SsoIdentity }) {
  const end = useMutation(disconnectSsoIdentity)
  const ask = async () => {
    const isEnded = await askToConfirm({
      title: `Disconnect ${providerName}?`,
      consequences: 'You can’t sign in with it until it’s connected again. Your current sessions continue.',
      confirm: 'Disconnect',
      run: () => end.mutateAsync(id),
      failed: `${providerName} is still connected`,
    })
    if (isEnded) notifyDone(`${providerName} was disconnected`)
  }
  return (
    <Button size="xs" variant="default" aria-label={`Disconnect ${providerName}`} loading={end.isPending} onClick={ask}>
      Disconnect
    </Button>
  )
}

/** The desktop window opens no foreign pages, and the provider's answer has to reach the browser that asked. */
function InBrowser() {
  return (
    <Text size="sm">
      To connect another one, open{' '}
      <Anchor href="/settings/profile?tab=security" target="_blank" inherit c="var(--accent-text)" underline="always">
        your profile in a web browser
      </Anchor>
      .
    </Text>
  )
}
