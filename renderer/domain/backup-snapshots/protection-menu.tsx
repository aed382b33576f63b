import { Button, Menu } from '@mantine/core'
import { type Icon, IconCalendarClock, IconChevronDown, IconLock, IconLockOpen } from '@tabler/icons-react'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { ProtectionDeed } from '../../data/backup-snapshot-protection.ts'
import { possibleDeeds, protectionWords } from './protection-words.ts'

const icons: Record<ProtectionDeed, Icon> = {
  hold: IconLock,
  'release-hold': IconLockOpen,
  lock: IconCalendarClock,
}

/** How a snapshot can be protected from being deleted. */
export function ProtectionMenu({
  snapshot,
  onAsk,
}: {
  snapshot: BackupSnapshot
  onAsk: (deed: ProtectionDeed) => void
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={16} />}>
          Protect
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {possibleDeeds(snapshot).map((deed) => {
          const Icon = icons[deed]
          return (
            <Menu.Item key={deed} leftSection={<Icon size={16} />} onClick={() => onAsk(deed)}>
              {protectionWords[deed].label}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
