import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { deviceNetwork } from '../../../shared/api/devices.ts'
import type { Connection } from '../../../shared/device/inventory.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { connectionsQuery, networkQuery } from '../../data/devices.ts'
import { dash, plural } from '../../lib/format.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Listed, Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { NotReportedYet } from './hardware-tab.tsx'

const shownConnections = 500

type NetworkReply = ReplyOf<typeof deviceNetwork>

export function NetworkTab({ deviceId }: { deviceId: string }) {
  const network = useQuery(networkQuery(deviceId))
  return (
    <Stack>
      <Loaded of={network}>{({ data: interfaces, vpns }) => <Interfaces interfaces={interfaces} vpns={vpns} />}</Loaded>
      <Panel title="Connections at the last report">
        <Listed of={useQuery(connectionsQuery(deviceId))} lines={4} empty={<NotReportedYet what="connections" />}>
          {({ data }) => <Connections connections={data} />}
        </Listed>
      </Panel>
    </Stack>
  )
}

interface InterfacesProps {
  interfaces: NetworkReply['data']
  vpns: NetworkReply['vpns']
}

function Interfaces({ interfaces, vpns }: InterfacesProps) {
  return (
    <>
      <Panel title="Interfaces">
        {interfaces.length === 0 ? (
          <NotReportedYet what="network interfaces" />
        ) : (
          <Rows
            label="Network interfaces"
            columns={['Name', 'Address', 'Type', 'MAC address', 'Role']}
            rows={interfaces.map((one) => [
              one.interfaceName,
              one.ipAddress,
              one.ipType,
              one.macAddress,
              one.isPrimary ? 'Primary' : null,
            ])}
          />
        )}
      </Panel>
      {vpns.length > 0 && (
        <Panel title="VPN">
          <Rows
            label="VPN"
            columns={['Provider', 'State', 'Interface', 'IPv4', 'IPv6', 'Name']}
            rows={vpns.map((one) => [
              one.provider,
              <StatusDot key="state" tone={one.active ? 'good' : 'idle'}>
                {one.active ? 'Connected' : 'Not connected'}
              </StatusDot>,
              one.interfaceName,
              one.ipv4,
              one.ipv6,
              one.dnsName,
            ])}
          />
        </Panel>
      )}
    </>
  )
}

function Connections({ connections }: { connections: Connection[] }) {
  const rest = connections.length - shownConnections
  return (
    <>
      <Rows
        label="Connections"
        columns={['Protocol', 'Local', 'Remote', 'State', 'Process']}
        rows={connections
          .slice(0, shownConnections)
          .map((one) => [
            one.protocol,
            addressText(one.localAddr, one.localPort),
            addressText(one.remoteAddr, one.remotePort),
            one.state,
            one.processName && one.pid !== null ? `${one.processName} (${one.pid})` : (one.processName ?? one.pid),
          ])}
      />
      {rest > 0 && <p>{plural(rest, 'more connection')} not shown.</p>}
    </>
  )
}

function addressText(address: string | null, port: number | null): string | null {
  if (!address) return null
  const host = address.includes(':') ? `[${address}]` : address
  return port === null ? host : `${host}:${port}`
}

/** A small table of facts, whose rows have no identity. */
function Rows({ label, columns, rows }: { label: string; columns: string[]; rows: ReactNode[][] }) {
  return (
    <DataTable
      label={label}
      rows={rows}
      rowKey={(_, index) => index}
      columns={columns.map((title, index) => ({
        id: title,
        title,
        cell: (cells: ReactNode[]) => cells[index] ?? dash,
      }))}
      minWidth={560}
      isDense
    />
  )
}
