import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ConnectionInfo, connectionInfoQuery } from '../../data/system.ts'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { AddressesPanel } from './addresses-panel.tsx'
import { AgentPanel } from './agent-panel.tsx'
import { AuthorityPanel } from './authority-panel.tsx'
import { EngineTab } from './backup-engine/engine-tab.tsx'
import { BackupPanel } from './backup-panel.tsx'
import { CertificatePanel } from './certificate-panel.tsx'
import { JobsTab } from './jobs-tab.tsx'
import { RegistrationPanel } from './registration-panel.tsx'
import { TrustPanel } from './sso-trust/trust-panel.tsx'

export function SystemPage() {
  const appliance = useQuery(connectionInfoQuery)
  const { tab = 'overview' } = useSearch({ from: '/app/system/appliance' })
  const navigate = useNavigate({ from: '/system/appliance' })
  return (
    <>
      <PageHeader title="Appliance" about="Addresses, certificates, backup, registration and background jobs." />
      <PageTabs
        tabs={[
          {
            value: 'overview',
            label: 'Overview',
            content: <Loaded of={appliance}>{(connection) => <Panels connection={connection} />}</Loaded>,
          },
          { value: 'backup-engine', label: 'Backup engine', content: <EngineTab /> },
          { value: 'jobs', label: 'Background jobs', content: <JobsTab /> },
        ]}
        open={tab}
        onOpen={(next) => navigate({ search: { tab: next === 'overview' ? undefined : next } })}
      />
    </>
  )
}

function Panels({ connection }: { connection: ConnectionInfo }) {
  const { isPlatformAdmin } = useMe()
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: 'start' }}>
      <Stack miw={0}>
        <AddressesPanel addresses={connection.addresses} publicAddress={connection.publicAddress} />
        <CertificatePanel connection={connection} />
        <AgentPanel agent={connection.agent} />
        {isPlatformAdmin && <RegistrationPanel />}
      </Stack>
      <Stack miw={0}>
        {isPlatformAdmin && <BackupPanel />}
        {connection.caFingerprint && <AuthorityPanel connection={connection} fingerprint={connection.caFingerprint} />}
        <TrustPanel />
      </Stack>
    </SimpleGrid>
  )
}
