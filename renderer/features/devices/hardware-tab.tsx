import { Progress, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DiskVolume, Hardware } from '../../../shared/device/inventory.ts'
import { hardwareQuery } from '../../data/devices.ts'
import { dash, gigabytes, megabytes, percent } from '../../lib/format.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'

export function HardwareTab({ deviceId }: { deviceId: string }) {
  return (
    <Loaded of={useQuery(hardwareQuery(deviceId))}>
      {({ hardware, diskDrives }) => (
        <Stack>
          <Panel title="Hardware">
            {hardware ? <HardwareFacts hardware={hardware} /> : <NotReportedYet what="hardware" />}
          </Panel>
          <Panel title="Disks">
            {diskDrives.length > 0 ? <Disks disks={diskDrives} /> : <NotReportedYet what="disks" />}
          </Panel>
        </Stack>
      )}
    </Loaded>
  )
}

export function NotReportedYet({ what }: { what: string }) {
  return (
    <Text size="sm" c="dimmed">
      The device has not reported its {what} yet. It does so within minutes after it comes online; "Refresh inventory"
      asks for it now.
    </Text>
  )
}

function HardwareFacts({ hardware }: { hardware: Hardware }) {
  return (
    <Facts>
      <Fact name="Manufacturer">{hardware.manufacturer}</Fact>
      <Fact name="Model">{hardware.model}</Fact>
      <Fact name="Serial number">{hardware.serialNumber}</Fact>
      <Fact name="Chassis">{hardware.chassisType}</Fact>
      <Fact name="Processor">{hardware.cpuModel}</Fact>
      <Fact name="Cores / threads">{`${hardware.cpuCores ?? dash} / ${hardware.cpuThreads ?? dash}`}</Fact>
      <Fact name="Memory">{megabytes(hardware.ramTotalMb)}</Fact>
      <Fact name="Graphics">{hardware.gpuModel}</Fact>
      <Fact name="Mainboard">
        {[hardware.motherboardManufacturer, hardware.motherboardProduct, hardware.motherboardVersion]
          .filter(Boolean)
          .join(' ')}
      </Fact>
      <Fact name="BIOS">{hardware.biosVersion}</Fact>
    </Facts>
  )
}

function Disks({ disks }: { disks: DiskVolume[] }) {
  return (
    <TableFrame label="Disks">
      <Table tabularNums miw={{ sm: 640 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Mounted at</Table.Th>
            <Table.Th>Device</Table.Th>
            <Table.Th>File system</Table.Th>
            <Table.Th>Used</Table.Th>
            <Table.Th>Size</Table.Th>
            <Table.Th>Free</Table.Th>
            <Table.Th>Health</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {disks.map((disk) => (
            <Table.Tr key={`${disk.mountPoint} ${disk.device}`}>
              <Table.Td className="mono">{disk.mountPoint}</Table.Td>
              <Table.Td data-label="Device" className="mono">
                {disk.device ?? dash}
              </Table.Td>
              <Table.Td data-label="File system">{disk.fsType ?? dash}</Table.Td>
              <Table.Td data-label="Used" miw={130}>
                {percent(disk.usedPercent)}
                <Progress
                  size={4}
                  value={disk.usedPercent ?? 0}
                  color={(disk.usedPercent ?? 0) >= 90 ? 'orange' : 'harbor.5'}
                  aria-label={`${disk.mountPoint} used`}
                />
              </Table.Td>
              <Table.Td data-label="Size">{gigabytes(disk.totalGb)}</Table.Td>
              <Table.Td data-label="Free">{gigabytes(disk.freeGb)}</Table.Td>
              <Table.Td data-label="Health">{disk.health ?? dash}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}
