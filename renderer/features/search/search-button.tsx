import { ActionIcon, Kbd, Tooltip, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { modKey } from '../../lib/mod-key.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import classes from './search-button.module.css'

/** In the header: looks like the field that it opens, and like an icon on a narrow screen. */
export function SearchButton() {
  const open = useOpenDialog('search')
  if (useNarrowScreen())
    return (
      <Tooltip label="Search">
        <ActionIcon variant="default" size={30} aria-label="Search" aria-haspopup="dialog" onClick={open}>
          <IconSearch size={16} />
        </ActionIcon>
      </Tooltip>
    )
  return (
    <UnstyledButton className={classes.button} aria-haspopup="dialog" onClick={open}>
      <IconSearch size={16} aria-hidden />
      <span className={classes.word}>Search</span>
      <Kbd size="xs" aria-hidden>
        {modKey} K
      </Kbd>
    </UnstyledButton>
  )
}
