import { Modal } from '@mantine/core'
import { useState } from 'react'
import { EnrollFactor, type Way } from './enroll-factor.tsx'

interface Props {
  title: string
  isOpen: boolean
  /** Where there is nothing to choose. */
  way?: Way
  onClose: () => void
  onDone: () => void
}

/** Enrolling in a dialog. Nothing closes it by accident; while recovery codes are shown, only their own button does. */
export function EnrollDialog({ title, isOpen, way, onClose, onDone }: Props) {
  const [hasCodes, setHasCodes] = useState(false)
  const finish = () => {
    setHasCodes(false)
    onDone()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={!hasCodes}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <EnrollFactor {...(way && { way })} onCodes={() => setHasCodes(true)} onDone={finish} />
    </Modal>
  )
}
