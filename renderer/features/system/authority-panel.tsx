import { Button, List, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { ConnectionInfo } from '../../data/system.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { AuthorityRotation } from './authority-rotation.tsx'
import { Deadline } from './deadline.tsx'
import { Fingerprint } from './fingerprint.tsx'

export function AuthorityPanel({ connection, fingerprint }: { connection: ConnectionInfo; fingerprint: string }) {
  return (
    <Panel title="Certificate authority">
      <Facts>
        <Fact name="SHA-256 fingerprint">
          <Fingerprint hex={fingerprint} label="Copy fingerprint" />
        </Fact>
        <Fact name="Expires">
          <Deadline at={connection.caExpiresAt} />
        </Fact>
      </Facts>
      <Title order={3} size="h6" mt="lg" mb={4}>
        Remove the browser warning
      </Title>
      <Text size="sm" mb="sm">
        Install the CA certificate once on the computers of administrators. First compare its fingerprint with the one
        Homeport prints in its terminal at startup.
      </Text>
      <Button
        component="a"
        variant="default"
        // Windows, macOS and Linux recognize this file name.
        href="/api/v1/system/ca.pem"
        download="homeport-ca.crt"
        leftSection={<IconDownload size={16} />}
      >
        Download CA certificate
      </Button>
      <List size="sm" mt="sm" spacing={6}>
        <List.Item>
          <b>Windows:</b> open the file, choose Install Certificate, and put it into Trusted Root Certification
          Authorities.
        </List.Item>
        <List.Item>
          <b>macOS:</b> open the file to add it to the keychain, then set it to Always Trust there.
        </List.Item>
        <List.Item>
          <b>Linux:</b> import it in the browser’s settings, under certificates, authorities.
        </List.Item>
        <List.Item>
          <b>Firefox</b> uses its own certificate store: Settings, Privacy & Security, View Certificates.
        </List.Item>
      </List>
      <AuthorityRotation rotation={connection.caRotation} />
    </Panel>
  )
}
