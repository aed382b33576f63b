import { Modal, Text } from '@mantine/core'
import {
  IconDownload,
  IconMapPin,
  IconPower,
  IconRefresh,
  IconRotateClockwise,
  IconStack2,
  IconTag,
  IconTerminal2,
  IconTool,
} from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import type { ListedDevice } from '../../../../shared/api/devices.ts'
import { maxSeveralDevices } from '../../../../shared/api/several-devices.ts'
import { count } from '../../../lib/format.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { closeUnlessUnsaved } from '../../../ui/confirm-leave.tsx'
import { type SelectionAction, SelectionActions } from '../../../ui/data-table/selection-actions.tsx'
import { SelectionBar } from '../../../ui/data-table/selection-bar.tsx'
import { type Selection, useSelected } from '../../../ui/data-table/use-selection.tsx'
import { MoveDialog } from '../move/move-dialog.tsx'
import { RefreshForm, RestartForm, ShutDownForm } from './command-form.tsx'
import { GroupForm } from './group-form.tsx'
import { MaintenanceOfSeveral } from './maintenance-of-several.tsx'
import { devicesText, idsOf, type Outcome, type SeveralFormProps } from './outcome.ts'
import { OutcomeView } from './outcome-view.tsx'
import { ScriptForm } from './script-form.tsx'
import { TagForm } from './tag-form.tsx'
import { useDeviceExport } from './use-device-export.ts'

interface Dialog {
  title: (devices: string) => string
  Form: ComponentType<SeveralFormProps>
  size?: string
}

const dialogs = {
  tag: { title: (devices) => `Tag ${devices}`, Form: TagForm },
  group: { title: (devices) => `Add ${devices} to a group`, Form: GroupForm },
  maintenance: { title: (devices) => `Maintenance for ${devices}`, Form: MaintenanceOfSeveral },
  restart: { title: (devices) => `Restart ${devices}?`, Form: RestartForm },
  shutDown: { title: (devices) => `Shut down ${devices}?`, Form: ShutDownForm },
  refresh: { title: (devices) => `Refresh the inventory of ${devices}?`, Form: RefreshForm },
  script: { title: (devices) => `Run a script on ${devices}`, Form: ScriptForm, size: 'xl' },
} satisfies Record<string, Dialog>

interface Open {
  /** Moving has a dialog of its own, which one device has too. */
  dialog: Dialog | 'move'
  /** As selected when it was opened. */
  devices: readonly ListedDevice[]
  /** Once it is done. */
  outcome?: Outcome
}

/** What can be done with the selected devices. */
export function SelectedDevices({ selection }: { selection: Selection<ListedDevice> }) {
  const { selected, elsewhere, clear } = useSelected(selection)
  const [open, setOpen] = useState<Open | null>(null)
  const actions = useActions(selected, (dialog) => setOpen({ dialog, devices: selected }))
  const close = () => {
    // Afterwards some may not be in the list any more, and the next action would change what nobody sees.
    if (open?.outcome) clear()
    setOpen(null)
  }
  const form = open?.dialog === 'move' ? null : open?.dialog
  const isTooMany = selected.length > maxSeveralDevices
  return (
    <>
      <SelectionBar selected={selected.length} elsewhere={elsewhere} onClear={clear}>
        {isTooMany ? (
          <Text size="sm" c="dimmed">
            Select at most {count(maxSeveralDevices)} devices
          </Text>
        ) : (
          <SelectionActions actions={actions} />
        )}
      </SelectionBar>
      {open?.dialog === 'move' && <MoveDialog devices={open.devices} onClose={close} onMoved={clear} />}
      <Modal
        opened={Boolean(form)}
        onClose={closeUnlessUnsaved(close)}
        title={open && form && (open.outcome?.title ?? form.title(devicesText(open.devices)))}
        size={form?.size ?? 'md'}
      >
        {open &&
          form &&
          (open.outcome ? (
            <OutcomeView outcome={open.outcome} devices={open.devices} onClose={close} />
          ) : (
            <form.Form
              devices={open.devices}
              // Also where it was closed meanwhile.
              onDone={(outcome) => setOpen((now) => (now && now !== open ? now : { ...open, outcome }))}
              onCancel={close}
            />
          ))}
      </Modal>
    </>
  )
}

/** Those that the user may do. */
function useActions(selected: ListedDevice[], open: (dialog: Open['dialog']) => void): SelectionAction[] {
  const me = useMe()
  const file = useDeviceExport()
  const changes: SelectionAction[] = [
    { label: 'Move', Icon: IconMapPin, run: () => open('move') },
    { label: 'Tag', Icon: IconTag, run: () => open(dialogs.tag) },
    { label: 'Add to group', Icon: IconStack2, run: () => open(dialogs.group) },
    { label: 'Maintenance', Icon: IconTool, run: () => open(dialogs.maintenance) },
  ]
  const command: SelectionAction = {
    label: 'Command',
    choices: [
      { label: 'Restart', Icon: IconRotateClockwise, run: () => open(dialogs.restart) },
      { label: 'Shut down', Icon: IconPower, run: () => open(dialogs.shutDown) },
      { label: 'Refresh inventory', Icon: IconRefresh, run: () => open(dialogs.refresh) },
    ],
  }
  return [
    ...(can(me, 'devices:write') ? changes : []),
    ...(can(me, 'devices:execute') ? [command] : []),
    ...(can(me, 'scripts:execute') ? [{ label: 'Script', Icon: IconTerminal2, run: () => open(dialogs.script) }] : []),
    { label: 'Export CSV', Icon: IconDownload, run: () => file.mutate({ deviceIds: idsOf(selected) }) },
  ]
}
