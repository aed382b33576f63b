import { Modal } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import type { MoveOutcome } from '../../../data/device-moves.ts'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { plural } from '../../../lib/format.ts'
import { closeUnlessUnsaved } from '../../../ui/confirm-leave.tsx'
import type { MovableDevice } from './movable-device.ts'
import { MoveForm } from './move-form.tsx'
import { NotMoved } from './not-moved.tsx'
import { type MoveDestination, notifyMoved } from './notify-moved.tsx'

interface Props {
  devices: readonly MovableDevice[]
  onClose: () => void
  /** Not called when all devices are refused. */
  onMoved?: () => void
}

/** Moves devices to another site, of their organization or of another one. */
export function MoveDialog({ devices, onClose, onMoved }: Props) {
  const router = useRouter()
  const [refused, setRefused] = useState<MoveOutcome['failed']>([])
  const [only] = devices.length === 1 ? devices : []
  const finish = ({ moved, failed }: MoveOutcome, to: MoveDestination) => {
    const movedDevices = devices.filter(({ id }) => moved.includes(id))
    if (failed.length > 0) setRefused(failed)
    else onClose()
    if (movedDevices.length > 0 || failed.length === 0) notifyMoved(router, movedDevices, to)
    onMoved?.()
  }
  const title =
    refused.length > 0
      ? 'Not all devices were moved'
      : `Move ${only ? deviceName(only) : plural(devices.length, 'device')}`
  return (
    <Modal opened onClose={closeUnlessUnsaved(onClose)} title={title}>
      {refused.length > 0 ? (
        <NotMoved devices={devices} refused={refused} onClose={onClose} />
      ) : (
        <MoveForm devices={devices} onDone={finish} />
      )}
    </Modal>
  )
}
