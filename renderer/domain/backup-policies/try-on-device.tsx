import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconDeviceDesktopSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { lookOnDevice, type PreviewSelection } from '../../data/backup-preview.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { FormError } from '../../ui/form-error.tsx'
import { OnlineDeviceSelect } from '../devices/online-device-select.tsx'
import { useOnlyDevice } from '../devices/use-only-device.ts'
import { PreviewResult } from './preview-result.tsx'
import classes from './try-on-device.module.css'

interface Props {
  orgId: string
  /** Null for what is not tried here. */
  selection: PreviewSelection | null
  /** Whether the fields above are filled in correctly. */
  isRight: boolean
  /** Preselected. */
  deviceId?: string
}

/** Shows what would be backed up on a device, before anything is saved. For people who may run things on devices. */
export function TryOnDevice(props: Props) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const mayRun = can(useMe(), 'devices:execute')
  if (!mayRun || props.selection === null) return null
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        ml={-8}
        leftSection={<IconDeviceDesktopSearch size={16} />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Try on a device
      </Button>
      <div id={id}>{isOpen && <Trial {...props} />}</div>
    </div>
  )
}

/** It appears below the fold of the dialog. */
const show = (trial: HTMLElement | null) => trial?.scrollIntoView({ block: 'nearest' })

function Trial({ orgId, selection, isRight, deviceId: first = '' }: Props) {
  const [chosen, setDeviceId] = useState(first)
  const only = useOnlyDevice(orgId)
  const deviceId = chosen || (only?.status === 'online' ? only.id : '')
  const [isTried, setTried] = useState(false)
  const leaving = useRef<AbortController>(null)
  const look = useMutation(lookOnDevice)
  // What was found is about what was asked for.
  const asked = JSON.stringify([deviceId, selection])
  const [shown, setShown] = useState(asked)
  useEffect(() => () => leaving.current?.abort(), [])
  const start = () => {
    setTried(true)
    if (!isRight || deviceId === '' || selection === null) return
    leaving.current?.abort()
    leaving.current = new AbortController()
    setShown(asked)
    look.mutate({ deviceId, selection, signal: leaving.current.signal })
  }
  const stop = () => {
    leaving.current?.abort()
    look.reset()
  }
  return (
    <Box ref={show} className={classes.trial} style={{ scrollMarginBlock: '5rem' }}>
      <Stack gap="sm">
        <Group gap="sm" align="flex-end" wrap="nowrap">
          <Box flex={1} miw={0}>
            <OnlineDeviceSelect
              orgId={orgId}
              label="Device"
              {...(only && { first: [only] })}
              value={deviceId}
              error={isTried && deviceId === '' ? 'Choose a device' : undefined}
              onChange={setDeviceId}
            />
          </Box>
          {look.isPending ? (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={start}>
              Look
            </Button>
          )}
        </Group>
        {isTried && !isRight && (
          <Text size="sm" c="var(--mantine-color-error)">
            Say above what to protect first.
          </Text>
        )}
        {look.isPending && (
          <Text size="sm" c="dimmed" role="status">
            The device looks, for 20 seconds at most. It reads names and sizes only.
          </Text>
        )}
        <FormError error={look.error} />
        {look.data && shown === asked && <PreviewResult found={look.data} />}
        {look.data && shown !== asked && (
          <Text size="sm" c="dimmed">
            That has changed. Look again.
          </Text>
        )}
      </Stack>
    </Box>
  )
}
