import { Alert, Code, Select, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedEnrollmentKey } from '../../../data/enrollment-keys.ts'
import { type ConnectionInfo, connectionInfoQuery } from '../../../data/system.ts'
import { addressKinds } from '../../../domain/system/address-kinds.ts'
import { CommandLine } from '../../../ui/command-line.tsx'
import { LoadFailed, SkeletonLines } from '../../../ui/states.tsx'
import { installCommand, type Platform, sourceCommands } from './install-command.ts'
import { WaitForDevices } from './wait-for-devices.tsx'

const platforms: { value: Platform; label: string; shell: string }[] = [
  { value: 'linux', label: 'Linux', shell: 'In a terminal on the device:' },
  { value: 'macos', label: 'macOS', shell: 'In Terminal on the device:' },
  { value: 'windows', label: 'Windows', shell: 'In PowerShell on the device, as administrator:' },
]

/** The command to run, for the chosen platform and address. */
export function RunOnDevice({ enrollmentKey, hasLinks }: { enrollmentKey: CreatedEnrollmentKey; hasLinks: boolean }) {
  const connection = useQuery(connectionInfoQuery)
  if (connection.error) return <LoadFailed error={connection.error} onRetry={connection.refetch} />
  if (!connection.data) return <SkeletonLines count={5} />
  return (
    <Stack>
      <Commands connection={connection.data} rawKey={enrollmentKey.key} />
      <WaitForDevices enrollmentKey={enrollmentKey} hasLinks={hasLinks} />
    </Stack>
  )
}

function Commands({ connection, rawKey }: { connection: ConnectionInfo; rawKey: string }) {
  const { addresses, agent, caFingerprint } = connection
  const [origin, setOrigin] = useState(() => bestAddress(connection))
  const facts = { origin, key: rawKey, caFingerprint }
  return (
    <Stack>
      <Select
        label="Address for the device"
        allowDeselect={false}
        data={addresses.map(({ url, kind }) => ({ value: url, label: `${url} (${addressKinds[kind]})` }))}
        value={origin}
        onChange={(url) => url && setOrigin(url)}
      />
      {!agent && (
        <Alert color="yellow" variant="light">
          The device agent hasn’t been built on this appliance: run <Code>npm run build:agent</Code> there, or use the
          source below.
        </Alert>
      )}
      <Tabs defaultValue={agent ? 'linux' : 'source'} keepMounted={false}>
        <Tabs.List>
          {agent &&
            platforms.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          <Tabs.Tab value="source">From source</Tabs.Tab>
        </Tabs.List>
        {agent &&
          platforms.map(({ value, label, shell }) => (
            <Tabs.Panel key={value} value={value} pt="sm">
              <Stack gap="xs">
                <Text size="sm">
                  {shell}{' '}
                  <Text span c="dimmed">
                    Requires Node.js 22 or newer.
                  </Text>
                </Text>
                <CommandLine label={`Command for ${label}`} text={installCommand(value, { ...facts, agent })} />
              </Stack>
            </Tabs.Panel>
          ))}
        <Tabs.Panel value="source" pt="sm">
          <Stack gap="xs">
            <Text size="sm">
              In a checkout of Homeport, to try it without installing anything. The agent runs until you stop it.
            </Text>
            <CommandLine label="Commands for a checkout" text={sourceCommands(facts)} />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

/** The public address if somebody chose one, else the one in use here, which is no help where it is `localhost`. */
function bestAddress({ addresses, publicAddress }: ConnectionInfo): string {
  const used = addresses.find(({ url, kind }) => url === location.origin && kind !== 'localhost')
  return (publicAddress.source === 'automatic' && used?.url) || publicAddress.url
}
