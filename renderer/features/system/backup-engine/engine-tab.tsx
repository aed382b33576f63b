import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentState, componentQuery } from '../../../data/components.ts'
import { useOfferActions } from '../../../lib/page-actions.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { CoverageTable } from './coverage-table.tsx'
import { DownloadForm } from './download-form.tsx'
import { DownloadProgress } from './download-progress.tsx'
import { LackingDevices } from './lacking-devices.tsx'
import { UploadForm } from './upload-form.tsx'

/** Where agents get the program from that makes their backups. */
export function EngineTab() {
  const state = useQuery(componentQuery('restic'))
  return <Loaded of={state}>{(engine) => <Engine engine={engine} />}</Loaded>
}

function ownEngine({ onAppliance }: ComponentState): string {
  if (!onAppliance) return 'The appliance itself has none.'
  return `The appliance itself uses ${onAppliance.version}${onAppliance.isInstalled ? ', which is installed on it' : ''}.`
}

function Engine({ engine }: { engine: ComponentState }) {
  const [isDownloading, download] = useDisclosure()
  const [isUploading, upload] = useDisclosure()
  useOfferActions([
    { label: 'Download a release of restic…', Icon: IconDownload, run: download.open },
    { label: 'Upload a release of restic…', Icon: IconUpload, run: upload.open },
  ])
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="md">
        <Text size="sm" c="dimmed" maw={620}>
          Agents back up with restic {engine.oldestVersion} or newer. They use the one installed on their device;
          otherwise they get the newest one below. {ownEngine(engine)}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" leftSection={<IconUpload size={16} />} onClick={upload.open}>
            Upload files…
          </Button>
          <Button
            size="xs"
            leftSection={<IconDownload size={16} />}
            disabled={engine.download?.state === 'running'}
            onClick={download.open}
          >
            Download release…
          </Button>
        </Group>
      </Group>
      {engine.download && <DownloadProgress download={engine.download} />}
      <CoverageTable engine={engine} />
      <Title order={2} size="h4" mt="md">
        Devices without restic
      </Title>
      <LackingDevices engine={engine} />
      <Modal opened={isDownloading} onClose={download.close} title="Download restic">
        <DownloadForm engine={engine} onDone={download.close} />
      </Modal>
      <Modal opened={isUploading} onClose={upload.close} title="Upload restic" size="lg">
        <UploadForm engine={engine} onDone={upload.close} />
      </Modal>
    </Stack>
  )
}
