import { UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './fold-heading.module.css'

interface Props {
  isUnfolded: boolean
  onToggle: () => void
  children: ReactNode
}

/** Heading of a part of the navigation, which a click folds or unfolds. */
export function FoldHeading({ isUnfolded, onToggle, children }: Props) {
  return (
    <UnstyledButton className={classes.heading} aria-expanded={isUnfolded} onClick={onToggle}>
      {children}
      <IconChevronRight size={14} aria-hidden className={classes.chevron} data-open={isUnfolded || undefined} />
    </UnstyledButton>
  )
}

/** Whether a part is unfolded, as this browser remembers it under the name. */
export function useFold(name: string, isUnfoldedFirst: boolean) {
  const [isUnfolded, setUnfolded] = useLocalStorage({
    key: `homeport.${name}`,
    defaultValue: isUnfoldedFirst,
    getInitialValueInEffect: false,
  })
  return { isUnfolded, onToggle: () => setUnfolded(!isUnfolded) }
}
