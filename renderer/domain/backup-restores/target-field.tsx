import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import type { FolderProblem } from '../../../shared/restore-folder.ts'
import { deviceName, osNames } from '../devices/device-labels.ts'
import type { RestoreDraft } from './restore-draft.ts'

interface Props {
  draft: RestoreDraft
  problem: FolderProblem | 'empty' | null
  source: DeviceDetail | undefined
  target: DeviceDetail | undefined
  onChange: (change: Partial<RestoreDraft>) => void
}

/** Where on the device the files go. */
export function TargetField({ draft, problem, source, target, onChange }: Props) {
  // Paths of Windows mean nothing elsewhere, and the other way round.
  const isOtherSystem =
    source !== undefined && target !== undefined && (source.osType === 'windows') !== (target.osType === 'windows')
  const choices = [
    {
      value: 'new' as const,
      label: 'A new folder',
      about: `In the folder of the agent${systemDisk(target)}; its path is shown afterwards. No file on the device changes.`,
    },
    {
      value: 'original' as const,
      label: 'Where the files were',
      about: isOtherSystem
        ? `Not possible: ${deviceName(target)} runs ${osNames[target.osType]}, with other folders.`
        : source && target && source.id !== target.id
          ? `The same folders on ${deviceName(target)}.`
          : 'The folders they were backed up from.',
      disabled: isOtherSystem,
    },
    { value: 'folder' as const, label: 'Another folder', about: 'One that you name.' },
  ]
  return (
    <>
      <Radio.Group
        label="Where to"
        value={draft.to}
        onChange={(value) => {
          const chosen = choices.find((one) => one.value === value)
          if (chosen) onChange({ to: chosen.value })
        }}
      >
        <Stack gap="xs" mt={6}>
          {choices.map(({ value, label, about, disabled = false }) => (
            <Radio key={value} value={value} label={label} description={about} disabled={disabled} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.to === 'folder' && (
        <TextInput
          label="Folder"
          description="It’s made if it isn’t there."
          placeholder={target?.osType === 'windows' ? 'D:\\Restored' : '/srv/restored'}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          maxLength={4096}
          error={
            problem && !(problem === 'system' && draft.isSystemAllowed) ? problemWords(problem, target) : undefined
          }
          value={draft.folder}
          onChange={(event) => onChange({ folder: event.currentTarget.value, isSystemAllowed: false })}
        />
      )}
      {draft.to === 'folder' && problem === 'system' && (
        <Checkbox
          label="Restore there anyway"
          description="Wrong files there can keep the device from starting."
          checked={draft.isSystemAllowed}
          onChange={(event) => onChange({ isSystemAllowed: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

/** Where the agent keeps its own files. */
const systemDisk = (target: DeviceDetail | undefined): string =>
  target === undefined ? '' : `, on ${target.osType === 'windows' ? 'drive C:' : 'the system disk'}`

function problemWords(problem: FolderProblem | 'empty', target: DeviceDetail | undefined): string {
  const example = target?.osType === 'windows' ? 'D:\\Restored' : '/srv/restored'
  return {
    empty: 'Enter a folder',
    relative: `Enter the whole path, like ${example}`,
    parent: 'Enter the path without ..',
    system: 'This folder belongs to the operating system.',
  }[problem]
}
