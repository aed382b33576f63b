import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { SearchBody } from './search-body.tsx'
import classes from './search-dialog.module.css'
import { useSearchDialog } from './use-search-dialog.ts'

/** Finds pages, devices and everything else, from anywhere. */
export function SearchDialog() {
  const { isOpen, close } = useSearchDialog()
  // What is opened takes the focus itself.
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Modal
      opened={isOpen}
      onClose={() => void close()}
      onEnterTransitionEnd={() => setLeaving(false)}
      returnFocus={!isLeaving}
      title="Search"
      size="lg"
      fullScreen={useNarrowScreen()}
      yOffset="10dvh"
      classNames={{ body: classes.body }}
    >
      <SearchBody onLeave={() => setLeaving(true)} onClose={close} />
    </Modal>
  )
}
