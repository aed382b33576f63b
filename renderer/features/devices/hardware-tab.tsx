import { Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DiskVolume, Hardware } from '../../../shared/device/inventory.ts'
import { hardwareQuery } from '../../data/devices.ts'
import { dash, gigabytes, megabytes, percent } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
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
          <Panel title="Disks" anchor="disks">
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
      The device hasn’t reported its {what} yet. It does so within minutes of coming online; “Refresh inventory” asks
      for it now.
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
      <Fact name="Motherboard">
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
    <DataTable
      label="Disks"
      rows={disks}
      rowKey={({ mountPoint, device }) => `${mountPoint} ${device}`}
      columns={diskColumns}
      minWidth={640}
    />
  )
}

const diskColumns: Column<DiskVolume>[] = [
  { id: 'mount-point', title: 'Mount point', cell: ({ mountPoint }) => <span className="mono">{mountPoint}</span> },
  { id: 'device', title: 'Device', cell: ({ device }) => <span className="mono">{device ?? dash}</span> },
  { id: 'file-system', title: 'File system', cell: ({ fsType }) => fsType ?? dash },
  { id: 'used', title: 'Used', width: 150, cell: (disk) => <Used disk={disk} /> },
  { id: 'size', title: 'Size', cell: ({ totalGb }) => gigabytes(totalGb) },
  { id: 'free', title: 'Free', cell: ({ freeGb }) => gigabytes(freeGb) },
  { id: 'health', title: 'Health', cell: ({ health }) => health ?? dash },
]

function Used({ disk: { mountPoint, usedPercent } }: { disk: DiskVolume }) {
  return (
    <>
      {percent(usedPercent)}
      <Progress
        size={4}
        value={usedPercent ?? 0}
        color={(usedPercent ?? 0) >= 90 ? 'orange' : 'harbor.5'}
        aria-label={`${mountPoint} used`}
      />
    </>
  )
}
