import { Button, Code, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type BackupState, backupQuery } from '../../data/appliance-backup.ts'
import { bytes, count, plural } from '../../lib/format.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { DownloadBackup } from './download-backup.tsx'

/** When the appliance was last backed up, and how to do it; for platform administrators. */
export function BackupPanel() {
  const backup = useQuery(backupQuery)
  const [isOpen, { open, close }] = useDisclosure()
  useOfferActions([{ label: 'Download a backup…', Icon: IconDownload, run: open }])
  return (
    <Panel
      title="Backup"
      anchor="backup"
      actions={
        <Button size="xs" variant="default" leftSection={<IconDownload size={16} />} onClick={open}>
          Download a backup…
        </Button>
      }
    >
      <Loaded of={backup} lines={2}>
        {(state) => (
          <>
            <Facts>
              <Fact name="Last backup">
                <Last last={state.last} />
              </Fact>
            </Facts>
            <Stack gap="xs" mt="sm">
              <Text size="sm">Or run this on the appliance, for example every night:</Text>
              <CommandLine label="Command for a backup" text={command} />
              {state.unknownInStore.total > 0 && <UnknownInStore {...state.unknownInStore} />}
            </Stack>
            <DownloadBackup isOpen={isOpen} onClose={close} opensHereOnly={state.opensHereOnly} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** Only somebody who knows what was restored can tell what they are. */
function UnknownInStore({ total, folders }: BackupState['unknownInStore']) {
  const more = total - folders.length
  return (
    <Notice tone="warn" title={`${plural(total, 'unknown backup folder')} on this appliance`}>
      <Stack gap="xs">
        <Text size="sm">
          {total === 1 ? 'It doesn’t' : 'They don’t'} belong to any device in the database, for example because an older
          backup of Homeport was restored. Homeport keeps what it doesn’t know. To see what’s inside, run{' '}
          <Code>recover-repository</Code> with the key on the organization’s recovery sheet. Delete a folder when you no
          longer need it.
        </Text>
        <List size="sm" listStyleType="none">
          {folders.map((folder) => (
            <List.Item key={folder}>
              <Code style={{ overflowWrap: 'anywhere' }}>backups/{folder}</Code>
            </List.Item>
          ))}
          {more > 0 && <List.Item>and {count(more)} more</List.Item>}
        </List>
      </Stack>
    </Notice>
  )
}

/** The name of the file has the date, because an existing file is not replaced. */
const command = 'npm run admin -- backup /safe/place/homeport-$(date +%F).tgz'

function Last({ last }: Pick<BackupState, 'last'>) {
  if (!last) return <StatusDot tone="warn">None yet</StatusDot>
  return (
    <>
      <RelativeTime at={last.at} /> ({last.by === 'download' ? 'downloaded' : 'by the command line'},{' '}
      {bytes(last.bytes)})
    </>
  )
}
