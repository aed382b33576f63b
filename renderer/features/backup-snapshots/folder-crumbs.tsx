import { IconChevronRight } from '@tabler/icons-react'
import { Fragment } from 'react'
import { TextLink } from '../../ui/links.tsx'
import classes from './folder-crumbs.module.css'
import { crumbsOf, top } from './paths.ts'

interface Props {
  snapshotId: string
  path: string
}

/** The way from the top to the open folder. */
export function FolderCrumbs({ snapshotId, path }: Props) {
  const crumbs = [{ name: 'All files', path: top }, ...crumbsOf(path)]
  return (
    <nav aria-label="Folder" className={classes.crumbs}>
      {crumbs.map((crumb, at) => {
        const isOpen = at === crumbs.length - 1
        return (
          <Fragment key={crumb.path}>
            {at > 0 && <IconChevronRight size={14} aria-hidden className={classes.separator} />}
            {isOpen ? (
              <span aria-current="page" className={classes.open}>
                {crumb.name}
              </span>
            ) : (
              <TextLink
                to="/backup/snapshots/$snapshotId"
                params={{ snapshotId }}
                search={{ path: crumb.path }}
                size="sm"
              >
                {crumb.name}
              </TextLink>
            )}
          </Fragment>
        )
      })}
    </nav>
  )
}
