/**
 * What a feature says of each of its tables, so that nothing elsewhere has a list of tables of its own. It stands in the
 * `tables.ts` of the feature; `server/tables.ts` collects them. JSON columns hold text, which the store that owns the
 * table parses; instants are ISO 8601 in UTC.
 */
export interface Table<Columns> {
  /**
   * The feature that owns the table, then others that write to it in a transaction of their own; `triggers` where no
   * feature does.
   */
  writtenBy: readonly [owner: string, ...others: string[]]
  tenancy: TenancyRule
  merge: MergeRule
  erasure: ErasureRule
  /**
   * Columns no cached answer depends on, because they are written far more often than they are asked for. A write to only
   * these leaves the version of the table as it is.
   */
  unversioned?: readonly (keyof Columns & string)[]
}

export type Flag = 0 | 1

declare const columns: unique symbol
export type Described<Columns> = Table<Columns> & { readonly [columns]?: Columns }
export type ColumnsOf<One> = One extends Described<infer Columns> ? Columns : never

/** Ties what is said of a table to the type of its columns. */
export const table = <Columns>(description: Table<Columns>): Described<Columns> => description

/** How a query keeps within what its actor may see. */
export type TenancyRule =
  | {
      by: 'organization'
      org: string
      /** The partner, where the row knows it. */
      partner?: string
      site?: string
      /** Rows of no site in particular are seen by everybody in the organization. */
      isSeenWithoutSite?: true
      /** The id of a device, or of a group, where the table's rows are those or belong to one; without `site` its site counts. */
      device?: string
      group?: string
      /** About devices that are in no group yet: nothing for somebody confined to groups. */
      isOfNoGroup?: true
    }
  | { by: 'device'; device: string }
  /** Not tenant data, or reached only through a row that is; the reason is for the reader. */
  | { by: 'none'; because: string }

/** What becomes of the rows when their organization is merged into another. */
export type MergeRule =
  /**
   * They get the survivor's `org_id`; equal names may stand beside each other. `alsoKept`: columns that somebody may
   * change meanwhile and that would not fit any more if the merge were taken back.
   */
  | { policy: 'repoint'; alsoKept?: readonly string[] }
  /** The same, but a row that the survivor has too, by these columns, is dropped. */
  | { policy: 'dedupe'; same: readonly string[] }
  /** They move, and more: `organization-merge/custom.ts` says what. */
  | { policy: 'custom' }
  /** Without an `org_id` of their own they go where the row goes to which they belong. */
  | { policy: 'follows-parent'; parent: string }
  | { policy: 'leave-for-erasure' }
  | { policy: 'loser-shell' }
  | { policy: 'none'; because: string }

/** What becomes of the rows when an organization is erased. */
export type ErasureRule =
  /** Rows with a `device_id`: deleted before their device. `areLarge`: one may hold megabytes. */
  | { goWith: 'device'; areLarge?: true }
  /** Rows with an `org_id`. `parent`: rows refer to each other. `isLog`: some stay. */
  | { goWith: 'organization'; parent?: string; isLog?: true }
  /** Deleted by the foreign key to a row that is, never many at once. */
  | { goWith: 'reference'; to: string }
  /** Sessions of somebody who belongs nowhere else. */
  | { goWith: 'membership' }
  /** The organization itself and what holds the rest of its log, last of all. */
  | { goWith: 'nothing-left' }
  | { stay: string }
