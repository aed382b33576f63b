import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { DeviceExportInput } from '../../../data/several-devices.ts'
import { useDeviceExport } from './use-device-export.ts'

/** Saves all devices that the list is about, not only those of the page. */
export function ExportButton({ wanted }: { wanted: () => DeviceExportInput }) {
  const file = useDeviceExport()
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={file.isPending}
      onClick={() => file.mutate(wanted())}
    >
      Export CSV
    </Button>
  )
}
