import { ActionIcon, Badge, Button, Group, TagsInput, Tooltip } from '@mantine/core'
import { IconTag } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { changeDevice } from '../../data/devices.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'

/** The tags; the pencil button opens a field to edit them. */
export function DeviceTags({ device }: { device: DeviceDetail }) {
  const me = useMe()
  const [draft, setDraft] = useState<string[] | null>(null)
  const [wasEdited, setEdited] = useState(false)
  const edit = () => {
    setDraft(device.tags)
    setEdited(true)
  }
  const close = () => setDraft(null)
  useUnsavedChanges(draft !== null && draft.join() !== device.tags.join())
  const save = useMutation(changeDevice(device.id))
  if (draft) {
    const submit = () => {
      if (draft.join() === device.tags.join()) close()
      else save.mutate({ tags: draft }, { onSuccess: close, onError: notifyFailed('The tags weren’t saved') })
    }
    return (
      <Group gap="xs" mb="md" align="flex-start">
        <TagsInput
          aria-label="Tags"
          placeholder="Type a tag, press Enter"
          autoFocus
          flex="1 1 260px"
          maw={520}
          maxTags={100}
          value={draft}
          onChange={setDraft}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.currentTarget.value !== '') return
            // Or the key would press the button that gets the focus.
            event.preventDefault()
            submit()
          }}
        />
        <Button onClick={submit} loading={save.isPending}>
          Save
        </Button>
        <Button variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
      </Group>
    )
  }
  if (device.tags.length === 0 && !can(me, 'devices:write')) return null
  return (
    <Group gap={6} mb="md">
      {device.tags.map((tag) => (
        <Link key={tag} to="/devices" search={{ search: tag }} aria-label={`Devices with the tag ${tag}`}>
          <Badge variant="default" radius="sm" tt="none" fw={500} style={{ cursor: 'pointer' }}>
            {tag}
          </Badge>
        </Link>
      ))}
      {can(me, 'devices:write') && <EditTags hasTags={device.tags.length > 0} hasFocus={wasEdited} onEdit={edit} />}
    </Group>
  )
}

interface EditProps {
  hasTags: boolean
  /** The field that was here had it. */
  hasFocus: boolean
  onEdit: () => void
}

function EditTags({ hasTags, hasFocus, onEdit }: EditProps) {
  if (!hasTags) {
    return (
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        ml={-8}
        autoFocus={hasFocus}
        leftSection={<IconTag size={14} />}
        onClick={onEdit}
      >
        Add tags
      </Button>
    )
  }
  return (
    <Tooltip label="Edit tags">
      <ActionIcon size="sm" aria-label="Edit tags" autoFocus={hasFocus} onClick={onEdit}>
        <IconTag size={14} />
      </ActionIcon>
    </Tooltip>
  )
}
