import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Home } from '../../../shared/api/home.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { ButtonLink } from '../../ui/links.tsx'
import classes from './home.module.css'

/** While there is no device, how to add one; while there is one, the way to it. */
export function FirstDevice({ home: { devices, onlyDevice } }: { home: Home }) {
  const mayAdd = can(useMe(), 'organizations:write')
  const add = useOpenDialog('add-device')
  if (devices.total === 0)
    return (
      <Step
        title={mayAdd ? 'Add your first device' : 'No devices yet'}
        text={
          mayAdd
            ? 'Run one command on a computer and it appears here automatically.'
            : 'Devices appear here automatically once someone adds them.'
        }
        action={
          mayAdd && (
            <Button leftSection={<IconPlus size={16} />} onClick={add}>
              Add a device
            </Button>
          )
        }
      />
    )
  if (!onlyDevice) return null
  const { id, name, status } = onlyDevice
  return (
    <Step
      title={status === 'online' ? 'Your first device is online' : 'Your first device is here'}
      text={name}
      action={
        <ButtonLink to="/devices/$deviceId" params={{ deviceId: id }}>
          Open device
        </ButtonLink>
      }
    />
  )
}

function Step({ title, text, action }: { title: string; text: string; action: ReactNode }) {
  return (
    <div className={classes.step}>
      <Group justify="space-between" gap="md">
        <Stack gap={2} miw={0} flex="1 1 16rem">
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </Stack>
        {action}
      </Group>
    </div>
  )
}
