import { ActionIcon, Button, CloseButton, Group, Popover, ScrollArea, Stack, Text, Tooltip } from '@mantine/core'
import { IconListDetails } from '@tabler/icons-react'
import { EntryIcon } from '../../domain/backup-snapshots/entry-icon.tsx'
import { SelectionBar } from '../../ui/data-table/selection-bar.tsx'
import { type ChosenEntries, chosenWords, whyNotDownloadable } from './chosen-entries.ts'
import { top } from './paths.ts'

interface Props {
  chosen: ChosenEntries
  /** Undefined for people who may not restore. */
  onRestore: (() => void) | undefined
  /** Undefined for people who may not download. */
  onDownload: (() => void) | undefined
  isPreparing: boolean
  onRemove: (path: string) => void
  onClear: () => void
}

/** What is chosen in all folders, and what can be done with it. */
export function ChosenBar({ chosen, onRestore, onDownload, isPreparing, onRemove, onClear }: Props) {
  const notDownloadable = whyNotDownloadable(chosen)
  return (
    <SelectionBar selected={chosen.size} words={`${chosenWords(chosen)} selected`} onClear={onClear}>
      <Popover position="top-end" width={360} trapFocus withinPortal shadow="md">
        <Popover.Target>
          <ActionIcon size={30} aria-label="Show what is selected">
            <IconListDetails size={18} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <ScrollArea.Autosize mah={260}>
            <Stack gap={4}>
              {[...chosen].map(([path, type]) => (
                <Group key={path} gap="xs" wrap="nowrap">
                  <EntryIcon type={type} />
                  <Text size="xs" flex={1} style={{ overflowWrap: 'anywhere' }}>
                    {path === top ? 'All files' : path}
                  </Text>
                  <CloseButton size="sm" aria-label={`Remove ${path}`} onClick={() => onRemove(path)} />
                </Group>
              ))}
            </Stack>
          </ScrollArea.Autosize>
        </Popover.Dropdown>
      </Popover>
      {onDownload && (
        <Tooltip label={notDownloadable} disabled={notDownloadable === null} multiline maw={320}>
          <Button
            size="xs"
            variant="default"
            loading={isPreparing}
            aria-disabled={notDownloadable !== null}
            data-disabled={notDownloadable !== null || undefined}
            onClick={notDownloadable === null ? onDownload : undefined}
          >
            Download
          </Button>
        </Tooltip>
      )}
      {onRestore && (
        <Button size="xs" onClick={onRestore}>
          Restore…
        </Button>
      )}
    </SelectionBar>
  )
}
