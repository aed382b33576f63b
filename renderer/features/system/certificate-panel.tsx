import { Alert, Text } from '@mantine/core'
import type { ConnectionInfo } from '../../data/system.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { Deadline } from './deadline.tsx'

const modes: Record<ConnectionInfo['tls'], string> = {
  auto: 'HTTPS with its own certificate authority',
  files: 'HTTPS with certificate files',
  off: 'Plain HTTP',
}

export function CertificatePanel({ connection: { tls, certificateExpiresAt } }: { connection: ConnectionInfo }) {
  return (
    <Panel title="Encryption">
      <Facts>
        <Fact name="Mode">
          <StatusDot tone={tls === 'off' ? 'warn' : 'good'} isLong>
            {modes[tls]}
          </StatusDot>
        </Fact>
        {tls !== 'off' && (
          <Fact name="Certificate expires">
            <Deadline at={certificateExpiresAt} />
          </Fact>
        )}
      </Facts>
      {tls === 'off' ? (
        <Alert color="yellow" variant="light" p="sm" mt="xs">
          Homeport doesn’t encrypt connections: passwords and device tokens can be intercepted. Use this only behind an
          HTTPS proxy or on a network you trust.
        </Alert>
      ) : (
        <Text size="xs" c="dimmed" mt="xs">
          {tls === 'auto'
            ? 'Renewed automatically, including when host names or addresses change.'
            : 'Homeport picks up changed files. Renewing them is up to you.'}
        </Text>
      )}
    </Panel>
  )
}
