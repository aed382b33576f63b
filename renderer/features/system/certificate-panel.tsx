import { Alert, Text } from '@mantine/core'
import type { ConnectionInfo } from '../../data/system.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Deadline } from './deadline.tsx'

const modes: Record<ConnectionInfo['tls'], string> = {
  auto: 'HTTPS, with an authority of its own',
  files: 'HTTPS, with a certificate from files',
  off: 'Plain HTTP',
}

export function CertificatePanel({ connection: { tls, certificateExpiresAt } }: { connection: ConnectionInfo }) {
  return (
    <Panel title="Encryption">
      <Facts>
        <Fact name="Mode">{modes[tls]}</Fact>
        {tls !== 'off' && (
          <Fact name="Certificate ends">
            <Deadline at={certificateExpiresAt} />
          </Fact>
        )}
      </Facts>
      {tls === 'off' ? (
        <Alert color="yellow" variant="light" p="sm" mt="xs">
          Homeport encrypts nothing by itself: passwords and the tokens of devices can be read on the way. That is right
          only behind a proxy that speaks HTTPS, or on a network you trust.
        </Alert>
      ) : (
        <Text size="xs" c="dimmed" mt="xs">
          {tls === 'auto'
            ? 'Homeport renews it by itself, also when its names or addresses change.'
            : 'Homeport follows the files: whoever put them there renews it.'}
        </Text>
      )}
    </Panel>
  )
}
