import { Modal } from '@mantine/core'
import { useState } from 'react'
import { EnrollFactor, type FactorKind } from '../../domain/mfa/enroll-factor.tsx'

interface Props {
  title: string
  isOpen: boolean
  /** Skips the choice. */
  kind?: FactorKind
  onClose: () => void
  onDone: () => void
}

/** Enrollment in a dialog. While recovery codes are about to be shown, only their button closes it. */
export function EnrollDialog({ title, isOpen, kind, onClose, onDone }: Props) {
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
      <EnrollFactor {...(kind && { kind })} onHold={setHeld} onDone={finish} />
    </Modal>
  )
}
