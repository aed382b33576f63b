import { Modal } from '@mantine/core'
import { useState } from 'react'
import { EnrollFactor, type FactorKind } from '../../domain/mfa/enroll-factor.tsx'

interface Props {
  title: string
  isOpen: boolean
  /** Where there is nothing to choose. */
  way?: FactorKind
  onClose: () => void
  onDone: () => void
}

/** Enrolling in a dialog. While recovery codes are on their way or shown, only their own button closes it. */
export function EnrollDialog({ title, isOpen, way, onClose, onDone }: Props) {
  const [isHeld, setHeld] = useState(false)
  const finish = () => {
    setHeld(false)
    onDone()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={!isHeld}
      closeOnEscape={!isHeld}
      closeOnClickOutside={false}
    >
      <EnrollFactor {...(way && { way })} onHold={setHeld} onDone={finish} />
    </Modal>
  )
}
