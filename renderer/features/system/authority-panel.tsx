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
          <Fingerprint hex={fingerprint} label="Copy the fingerprint" />
        </Fact>
        <Fact name="Ends">
          <Deadline at={connection.caExpiresAt} />
        </Fact>
      </Facts>
      <Title order={3} size="h6" mt="lg" mb={4}>
        Against the browser's warning
      </Title>
      <Text size="sm" mb="sm">
        Install the authority on the computers of administrators, once. First compare its fingerprint with the one
        Homeport shows in its terminal when it starts.
      </Text>
      <Button
        component="a"
        variant="default"
        // Windows, macOS and Linux recognize this file name.
        href="/api/v1/system/ca.pem"
        download="homeport-ca.crt"
        leftSection={<IconDownload size={16} />}
      >
        Download the authority
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
          <b>Linux:</b> import it in the browser's settings, under certificates, authorities.
        </List.Item>
        <List.Item>
          <b>Firefox</b> has a list of its own on every system: Settings, Privacy & Security, View Certificates.
        </List.Item>
      </List>
      <AuthorityRotation rotation={connection.caRotation} />
    </Panel>
  )
}
