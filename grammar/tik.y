/* tik.y: the grammar of the language, a subset of Python 3. It is syntax only: every
 * action calls one builder of compiler/syntax. Tokens come through the indentation filter
 * (compiler/syntax/indent.c), which finds blocks, joins lines and distinguishes the two
 * uses of 'in' (FOR_IN ends the targets of a 'for'). The grammar accepts a little too
 * much; the builders refuse the rest with a sentence of their own (targets, order of
 * arguments and parameters, operands that need brackets).
 *
 * A line that does not parse is dropped: 'error NEWLINE', with the block below it, if
 * any, parsed as statements of the same level. */
%require "3.8"
%define api.pure full
%define api.prefix {tik_yy}
%define api.location.type {Loc}
%define parse.error custom
%locations
%expect 0
%param {Parser *p}

%code requires {
#include "syntax/parser.h"
}

%union {
    Sym sym;
    uint32_t word;
    Ast *node;
    AstList list;
    AstParam *param;
    ParamList params;
}

%code {
/* A rule without symbols has its place right after what was read before it. */
#define YYLLOC_DEFAULT(here, rhs, n)                                                     \
    ((here).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,                 \
     (here).end = YYRHSLOC(rhs, n).end)
/* Deeper input is an error of the program, see tik_yyerror. */
#define YYMAXDEPTH 20000
#define YYLTYPE_IS_TRIVIAL 1
#define YYSTYPE_IS_TRIVIAL 1

static void tik_yyerror(const Loc *at, Parser *p, const char *message);
}

%initial-action { @$ = (Loc){p->begin, p->begin}; }

%token END 0            "the end of the file"
%token START_FILE       "a program"
%token START_EXPR       "an expression"
%token NEWLINE          "the end of the line"
%token INDENT           "an indented block"
%token DEDENT           "the end of the block"
%token NO_BLOCK         "a missing block"
%token <sym> NAME       "a name"
%token INT              "an integer"
%token FLOAT            "a number"
%token STRING           "a string"
%token <word> AUGMENTED "an augmented assignment"

%token FALSE "'False'" NONE "'None'" TRUE "'True'" AND "'and'" AS "'as'" ASSERT "'assert'"
%token ASYNC "'async'" AWAIT "'await'" BREAK "'break'" CLASS "'class'" CONTINUE "'continue'"
%token DEF "'def'" DEL "'del'" ELIF "'elif'" ELSE "'else'" EXCEPT "'except'"
%token FINALLY "'finally'" FOR "'for'" FROM "'from'" GLOBAL "'global'" IF "'if'"
%token IMPORT "'import'" IN "'in'" IS "'is'" LAMBDA "'lambda'" NONLOCAL "'nonlocal'"
%token NOT "'not'" OR "'or'" PASS "'pass'" RAISE "'raise'" RETURN "'return'" TRY "'try'"
%token WHILE "'while'" WITH "'with'" YIELD "'yield'"
%token FOR_IN "'in' of the 'for'" NOT_IN "'not in'" IS_NOT "'is not'"
%token POWER "'**'" FLOORDIV "'//'" SHL "'<<'" SHR "'>>'" EQ "'=='" NE "'!='" LE "'<='" GE "'>='"
%token ARROW "'->'" WALRUS "':='" ELLIPSIS "'...'"

/* The list goes from loose to tight. LOOSE: bodies of lambdas and starred expressions
 * take all that they can. FILTER: the source and the conditions of a comprehension end
 * before its next 'if'. */
%precedence LOOSE
%right IF
%precedence FILTER
%left OR
%left AND
%right NOT
%left IN NOT_IN IS IS_NOT '<' '>' EQ NE LE GE
%left '|'
%left '^'
%left '&'
%left SHL SHR
%left '+' '-'
%left '*' '/' FLOORDIV '%' '@'
%precedence SIGN
%right POWER
%precedence AWAIT
%precedence '(' '[' '.'

%type <list> program stmts stmt simple_line simples suite else_part finally_part elifs excepts
%type <list> chain exprs elements args opt_args slices pairs fors ifs with_head with_items aliases names
%type <list> decorators imported block
%type <node> simple compound if_stmt elif except try_stmt def class async_able with_item decorated
%type <node> expr starred named walrus star_expr star_exprs right yield_expr element arg slice opt_expr pair
%type <node> comp_for alias global_name opt_yield returns opt_message
%type <params> params lambda_params param_list lambda_list
%type <param> param lambda_param plain_param
%type <word> dots

/* Lines that the fast path has read (compiler/syntax/fast_line.c): statements, and the
 * heads of those with a block: the item of 'with', target and source of 'for', the
 * condition of 'if'. */
%token <list> LINE WITH_LINE FOR_LINE
%token <node> IF_LINE

%%

start:
    START_FILE                          { p->tree = ast_module(p, @$, list_one(NULL)); }
  | START_FILE program                  { p->tree = ast_module(p, @2, $2); }
  | START_EXPR opt_yield                { p->tree = ast_statement(p, $2); }
  | START_EXPR expr fors                { p->tree = ast_comp(p, @$, '(', $2, $3); }
  ;

/* ---- statements ---- */

program:
    stmt
  | program stmt
      { $$ = ast_program(p, @$, $1, $2, yychar >= LINE && yychar <= IF_LINE); }
  ;

stmts:
    stmt
  | stmts stmt                          { $$ = list_join($1, $2); }
  ;

stmt:
    simple_line
  | compound                            { $$ = list_one(ast_statement(p, $1)); }
  | refused                             { $$ = list_one(NULL); }
  | refused INDENT stmts DEDENT         { $$ = $3; }
  ;

refused:
    error NEWLINE                       { yyerrok; }
  ;

simple_line:
    simples NEWLINE
  | simples ';' NEWLINE
  | LINE
  ;

simples:
    simple                              { $$ = list_one(ast_statement(p, $1)); }
  | simples ';' simple                  { $$ = list_add($1, ast_statement(p, $3)); }
  ;

simple:
    opt_yield                           { $$ = ast_plain(p, AST_EXPR, @$, $1); }
  | chain right                         { $$ = ast_assign(p, @$, $1, $2); }
  | star_exprs AUGMENTED right          { $$ = ast_augassign(p, @$, (AstOp)$2, $1, $3); }
  | expr ':' expr                       { $$ = ast_annassign(p, @$, $1, $3, NULL); }
  | expr ':' expr '=' right             { $$ = ast_annassign(p, @$, $1, $3, $5); }
  | PASS                                { $$ = ast_new(p, AST_PASS, @$); }
  | BREAK                               { $$ = ast_new(p, AST_BREAK, @$); }
  | CONTINUE                            { $$ = ast_new(p, AST_CONTINUE, @$); }
  | RETURN                              { $$ = ast_new(p, AST_RETURN, @$); }
  | RETURN star_exprs                   { $$ = ast_plain(p, AST_RETURN, @$, $2); }
  | RAISE                               { $$ = ast_raise(p, @$, NULL, NULL); }
  | RAISE expr                          { $$ = ast_raise(p, @$, $2, NULL); }
  | RAISE expr FROM expr                { $$ = ast_raise(p, @$, $2, $4); }
  | DEL star_exprs                      { $$ = ast_del(p, @$, $2); }
  | ASSERT expr opt_message             { $$ = ast_assert(p, @$, $2, $3); }
  | GLOBAL names                        { $$ = ast_names(p, AST_GLOBAL, @$, $2); }
  | NONLOCAL names                      { $$ = ast_names(p, AST_NONLOCAL, @$, $2); }
  | IMPORT aliases                      { $$ = ast_import(p, @$, $2); }
  | FROM dotted IMPORT imported         { $$ = ast_from(p, @$, 0, @2, $4); }
  | FROM dots IMPORT imported           { $$ = ast_from(p, @$, (int)$2, (Loc){0, 0}, $4); }
  | FROM dots dotted IMPORT imported    { $$ = ast_from(p, @$, (int)$2, @3, $5); }
  ;

chain:
    star_exprs '='                      { $$ = list_one($1); }
  | chain star_exprs '='                { $$ = list_add($1, $2); }
  ;

right:
    star_exprs
  | yield_expr
  ;

opt_yield:
    star_exprs
  | yield_expr
  ;

opt_message:
    %empty                              { $$ = NULL; }
  | ',' expr                            { $$ = $2; }
  ;

names:
    global_name                         { $$ = list_one($1); }
  | names ',' global_name               { $$ = list_add($1, $3); }
  ;

global_name:
    NAME                                { $$ = ast_name(p, @$, $1); }
  ;

imported:
    '*'                                 { $$ = list_one(NULL); }
  | aliases
  | '(' aliases ')'                     { $$ = $2; }
  | '(' aliases ',' ')'                 { $$ = $2; }
  ;

aliases:
    alias                               { $$ = list_one($1); }
  | aliases ',' alias                   { $$ = list_add($1, $3); }
  ;

alias:
    dotted                              { $$ = ast_alias(p, @$, @1, SYM_NONE); }
  | dotted AS NAME                      { $$ = ast_alias(p, @$, @1, $3); }
  ;

dotted:
    NAME
  | dotted '.' NAME
  ;

dots:
    '.'                                 { $$ = 1; }
  | ELLIPSIS                            { $$ = 3; }
  | dots '.'                            { $$ = $1 + 1; }
  | dots ELLIPSIS                       { $$ = $1 + 3; }
  ;

/* ---- statements with blocks ---- */

compound:
    if_stmt
  | async_able
  | ASYNC async_able                    { $$ = ast_async(p, @$, $2); }
  | WHILE named suite else_part         { $$ = ast_else(ast_while(p, @$, $2, $3), list_one(NULL), $4); }
  | try_stmt
  | class
  | decorated
  | WITH_LINE block                     { $$ = ast_with(p, @$, $1, $2); }
  | FOR_LINE block else_part
      { $$ = ast_else(ast_for(p, @$, $1.first, $1.last, $2), list_one(NULL), $3); }
  | IF_LINE block elifs else_part       { $$ = ast_else(ast_if(p, @$, $1, $2), $3, $4); }
  ;

async_able:
    def
  | FOR star_exprs FOR_IN star_exprs suite else_part
      { $$ = ast_else(ast_for(p, @$, $2, $4, $5), list_one(NULL), $6); }
  | with_head suite                     { $$ = ast_with(p, @$, $1, $2); }
  ;

suite:
    colon simple_line                   { $$ = $2; }
  | colon NEWLINE block                 { $$ = $3; }
  ;

block:
    INDENT stmts DEDENT                 { $$ = $2; }
  | NO_BLOCK                            { $$ = list_one(NULL); }
  ;

colon:
    ':'                                 { ast_colon(p, @$); }
  ;

else_part:
    %empty                              { $$ = list_one(NULL); }
  | ELSE suite                          { $$ = $2; }
  ;

if_stmt:
    IF named suite elifs else_part      { $$ = ast_else(ast_if(p, @$, $2, $3), $4, $5); }
  ;

elifs:
    %empty                              { $$ = list_one(NULL); }
  | elifs elif                          { $$ = ast_elif(p, $1, $2); }
  ;

elif:
    ELIF named suite                    { $$ = ast_if(p, @$, $2, $3); }
  ;

with_head:
    WITH with_items                     { $$ = ast_with_items(p, $2); }
  ;

with_items:
    with_item                           { $$ = list_one($1); }
  | with_items ',' with_item            { $$ = list_add($1, $3); }
  ;

with_item:
    expr                                { $$ = ast_with_a(p, AST_WITH_ITEM, @$, $1); }
  | expr AS expr                        { $$ = ast_as(p, @$, $1, $3); }
  ;

try_stmt:
    TRY suite excepts else_part finally_part
      { $$ = ast_finish_try(p, ast_try(p, @$, $2, $3), $4, $5); }
  ;

finally_part:
    %empty                              { $$ = list_one(NULL); }
  | FINALLY suite                       { $$ = $2; }
  ;

excepts:
    %empty                              { $$ = list_one(NULL); }
  | excepts except                      { $$ = list_add($1, $2); }
  ;

except:
    EXCEPT suite                        { $$ = ast_except(p, @$, NULL, SYM_NONE, $2); }
  | EXCEPT expr suite                   { $$ = ast_except(p, @$, $2, SYM_NONE, $3); }
  | EXCEPT expr AS NAME suite           { $$ = ast_except(p, @$, $2, $4, $5); }
  ;

def:
    DEF NAME '(' params ')' returns suite
      { $$ = ast_def(p, @$, (FuncHead){$2, $4, $6}, $7); }
  ;

returns:
    %empty                              { $$ = NULL; }
  | ARROW expr                          { $$ = $2; }
  ;

class:
    CLASS NAME suite                    { $$ = ast_class(p, @$, $2, list_one(NULL), $3); }
  | CLASS NAME '(' opt_args ')' suite   { $$ = ast_class(p, @$, $2, $4, $6); }
  ;

decorated:
    decorators def                      { $$ = ast_decorate($2, $1); }
  | decorators ASYNC def                { $$ = ast_decorate(ast_async(p, @3, $3), $1); }
  | decorators class                    { $$ = ast_decorate($2, $1); }
  | decorators NO_BLOCK                 { $$ = NULL; }
  ;

decorators:
    '@' named NEWLINE                   { $$ = list_one($2); }
  | decorators '@' named NEWLINE        { $$ = list_add($1, $3); }
  ;

/* ---- parameters ---- */

params:
    %empty                              { $$ = params_add((ParamList){0}, NULL); }
  | param_list
  | param_list ','
  ;

param_list:
    param                               { $$ = params_add((ParamList){0}, $1); }
  | param_list ',' param                { $$ = params_add($1, $3); }
  ;

param:
    plain_param
  | plain_param '=' expr                { $$ = $1; $$->dflt = $3; $$->span.end = @3.end; }
  | '*'                                 { $$ = ast_param(p, @$, PARAM_STAR, SYM_NONE); }
  | '/'                                 { $$ = ast_param(p, @$, PARAM_POSONLY, SYM_NONE); }
  | '*' plain_param                     { $$ = $2; $$->kind = PARAM_STAR; }
  | POWER plain_param                   { $$ = $2; $$->kind = PARAM_STARSTAR; }
  ;

plain_param:
    NAME                                { $$ = ast_param(p, @$, PARAM_PLAIN, $1); }
  | NAME ':' expr                       { $$ = ast_param(p, @$, PARAM_PLAIN, $1);
                                          $$->annotation = $3; }
  ;

lambda_params:
    %empty                              { $$ = params_add((ParamList){0}, NULL); }
  | lambda_list
  | lambda_list ','
  ;

lambda_list:
    lambda_param                        { $$ = params_add((ParamList){0}, $1); }
  | lambda_list ',' lambda_param        { $$ = params_add($1, $3); }
  ;

lambda_param:
    NAME                                { $$ = ast_param(p, @$, PARAM_PLAIN, $1); }
  | NAME '=' expr                       { $$ = ast_param(p, @$, PARAM_PLAIN, $1); $$->dflt = $3; }
  | '*'                                 { $$ = ast_param(p, @$, PARAM_STAR, SYM_NONE); }
  | '/'                                 { $$ = ast_param(p, @$, PARAM_POSONLY, SYM_NONE); }
  | '*' NAME                            { $$ = ast_param(p, @2, PARAM_STAR, $2); }
  | POWER NAME                          { $$ = ast_param(p, @2, PARAM_STARSTAR, $2); }
  ;

/* ---- lists of expressions ---- */

star_exprs:
    expr
  | starred
  | exprs                               { $$ = ast_tuple(p, @$, $1, true); }
  | exprs ','                           { $$ = ast_tuple(p, @$, $1, true); }
  | star_expr ','                       { $$ = ast_tuple(p, @$, list_one($1), true); }
  ;

exprs:
    star_expr ',' star_expr             { $$ = list_add(list_one($1), $3); }
  | exprs ',' star_expr                 { $$ = list_add($1, $3); }
  ;

star_expr:
    expr
  | starred
  ;

starred:
    '*' expr %prec LOOSE                { $$ = ast_starred(p, @$, $2); }
  ;

yield_expr:
    YIELD                               { $$ = ast_yield(p, @$, NULL, false); }
  | YIELD star_exprs                    { $$ = ast_yield(p, @$, $2, false); }
  | YIELD FROM expr                     { $$ = ast_yield(p, @$, $3, true); }
  ;

named:
    expr
  | walrus
  ;

walrus:
    NAME WALRUS expr                    { $$ = ast_walrus(p, @$, $1, $3); }
  ;

elements:
    element                             { $$ = list_one($1); }
  | elements ',' element                { $$ = list_add($1, $3); }
  ;

element:
    named
  | starred
  | expr AS expr                        { $$ = ast_loose_as(p, @$, $1, $3); }
  ;

opt_args:
    %empty                              { $$ = list_one(NULL); }
  | args
  | args ','
  ;

args:
    expr                                { $$ = list_one($1); }
  | arg                                 { $$ = list_one($1); }
  | args ',' expr                       { $$ = list_add($1, $3); }
  | args ',' arg                        { $$ = list_add($1, $3); }
  ;

arg:
    NAME '=' expr                       { $$ = ast_keyword(p, @$, $1, $3); }
  | walrus
  | '*' expr %prec LOOSE                { $$ = ast_with_a(p, AST_STARRED, @$, $2); }
  | POWER expr %prec LOOSE              { $$ = ast_keyword(p, @$, SYM_NONE, $2); }
  | expr fors                           { $$ = ast_comp(p, @$, '(', $1, $2); }
  | walrus fors                         { $$ = ast_comp(p, @$, '(', $1, $2); }
  ;

slices:
    slice                               { $$ = list_one($1); }
  | slices ',' slice                    { $$ = list_add($1, $3); }
  ;

slice:
    named
  | '*' expr %prec LOOSE                { $$ = ast_with_a(p, AST_STARRED, @$, $2); }
  | opt_expr ':' opt_expr               { $$ = ast_slice(p, @$, $1, $3, NULL); }
  | opt_expr ':' opt_expr ':' opt_expr  { $$ = ast_slice(p, @$, $1, $3, $5); }
  ;

opt_expr:
    %empty                              { $$ = NULL; }
  | expr
  ;

pairs:
    pair                                { $$ = list_one($1); }
  | pairs ',' pair                      { $$ = list_add($1, $3); }
  ;

pair:
    expr ':' expr                       { $$ = ast_pair(p, @$, $1, $3); }
  | POWER expr %prec LOOSE              { $$ = ast_pair(p, @$, NULL, $2); }
  ;

fors:
    comp_for                            { $$ = list_one($1); }
  | fors comp_for                       { $$ = list_add($1, $2); }
  ;

comp_for:
    FOR star_exprs FOR_IN expr ifs      { $$ = ast_comp_for(p, @$, $2, $4, $5); }
  | ASYNC FOR star_exprs FOR_IN expr ifs
      { $$ = ast_async(p, @$, ast_comp_for(p, @$, $3, $5, $6)); }
  ;

ifs:
    %empty %prec FILTER                 { $$ = list_one(NULL); }
  | ifs IF expr %prec FILTER            { $$ = list_add($1, $3); }
  ;

/* ---- expressions ---- */

expr:
    NAME                                { $$ = ast_name(p, @$, $1); }
  | INT                                 { $$ = ast_int(p, @$); }
  | FLOAT                               { $$ = ast_float(p, @$); }
  | strings                             { $$ = ast_strings_end(p, @$); }
  | NONE                                { $$ = ast_new(p, AST_NONE, @$); }
  | TRUE                                { $$ = ast_leaf(p, AST_BOOL, @$, 1); }
  | FALSE                               { $$ = ast_leaf(p, AST_BOOL, @$, 0); }
  | ELLIPSIS                            { $$ = ast_new(p, AST_ELLIPSIS, @$); }
  | expr '.' NAME                       { $$ = ast_attr(p, @$, $1, $3); }
  | expr '(' ')'                        { $$ = ast_call(p, @$, $1, list_one(NULL), false); }
  | expr '(' args ')'                   { $$ = ast_call(p, @$, $1, $3, false); }
  | expr '(' args ',' ')'               { $$ = ast_call(p, @$, $1, $3, true); }
  | expr '[' slices ']'                 { $$ = ast_index(p, @$, $1, ast_tuple(p, @3, $3, false)); }
  | expr '[' slices ',' ']'
      { $$ = ast_index(p, @$, $1, ast_tuple(p, (Loc){@3.begin, @4.end}, $3, true)); }
  | '(' ')'                             { $$ = ast_paren(p, @$, list_one(NULL), true); }
  | '(' elements ')'                    { $$ = ast_paren(p, @$, $2, false); }
  | '(' elements ',' ')'                { $$ = ast_paren(p, @$, $2, true); }
  | '(' yield_expr ')'                  { $$ = ast_paren(p, @$, list_one($2), false); }
  | '(' element fors ')'
      { $$ = ast_paren(p, @$, list_one(ast_comp(p, @$, '(', $2, $3)), false); }
  | '[' ']'                             { $$ = ast_display(p, AST_LIST, @$, list_one(NULL)); }
  | '[' elements ']'                    { $$ = ast_display(p, AST_LIST, @$, $2); }
  | '[' elements ',' ']'                { $$ = ast_display(p, AST_LIST, @$, $2); }
  | '[' element fors ']'                { $$ = ast_comp(p, @$, '[', $2, $3); }
  | '{' '}'                             { $$ = ast_display(p, AST_DICT, @$, list_one(NULL)); }
  | '{' pairs '}'                       { $$ = ast_display(p, AST_DICT, @$, $2); }
  | '{' pairs ',' '}'                   { $$ = ast_display(p, AST_DICT, @$, $2); }
  | '{' pair fors '}'                   { $$ = ast_comp(p, @$, ':', $2, $3); }
  | '{' elements '}'                    { $$ = ast_display(p, AST_SET, @$, $2); }
  | '{' elements ',' '}'                { $$ = ast_display(p, AST_SET, @$, $2); }
  | '{' element fors '}'                { $$ = ast_comp(p, @$, '{', $2, $3); }
  | AWAIT expr                          { $$ = ast_await(p, @$, $2); }
  | expr POWER expr                     { $$ = ast_binary(p, @$, AOP_POW, $1, $3); }
  | '-' expr %prec SIGN                 { $$ = ast_unary(p, @$, AOP_NEG, $2); }
  | '+' expr %prec SIGN                 { $$ = ast_unary(p, @$, AOP_POS, $2); }
  | '~' expr %prec SIGN                 { $$ = ast_unary(p, @$, AOP_INVERT, $2); }
  | expr '*' expr                       { $$ = ast_binary(p, @$, AOP_MUL, $1, $3); }
  | expr '/' expr                       { $$ = ast_binary(p, @$, AOP_DIV, $1, $3); }
  | expr FLOORDIV expr                  { $$ = ast_binary(p, @$, AOP_FLOORDIV, $1, $3); }
  | expr '%' expr                       { $$ = ast_binary(p, @$, AOP_MOD, $1, $3); }
  | expr '@' expr                       { $$ = ast_binary(p, @$, AOP_MATMUL, $1, $3); }
  | expr '+' expr                       { $$ = ast_binary(p, @$, AOP_ADD, $1, $3); }
  | expr '-' expr                       { $$ = ast_binary(p, @$, AOP_SUB, $1, $3); }
  | expr SHL expr                       { $$ = ast_binary(p, @$, AOP_SHL, $1, $3); }
  | expr SHR expr                       { $$ = ast_binary(p, @$, AOP_SHR, $1, $3); }
  | expr '&' expr                       { $$ = ast_binary(p, @$, AOP_AND, $1, $3); }
  | expr '^' expr                       { $$ = ast_binary(p, @$, AOP_XOR, $1, $3); }
  | expr '|' expr                       { $$ = ast_binary(p, @$, AOP_OR, $1, $3); }
  | expr EQ expr                        { $$ = ast_compare(p, @$, AOP_EQ, $1, $3); }
  | expr NE expr                        { $$ = ast_compare(p, @$, AOP_NE, $1, $3); }
  | expr '<' expr                       { $$ = ast_compare(p, @$, AOP_LT, $1, $3); }
  | expr LE expr                        { $$ = ast_compare(p, @$, AOP_LE, $1, $3); }
  | expr '>' expr                       { $$ = ast_compare(p, @$, AOP_GT, $1, $3); }
  | expr GE expr                        { $$ = ast_compare(p, @$, AOP_GE, $1, $3); }
  | expr IN expr                        { $$ = ast_compare(p, @$, AOP_IN, $1, $3); }
  | expr NOT_IN expr                    { $$ = ast_compare(p, @$, AOP_NOT_IN, $1, $3); }
  | expr IS expr                        { $$ = ast_compare(p, @$, AOP_IS, $1, $3); }
  | expr IS_NOT expr                    { $$ = ast_compare(p, @$, AOP_IS_NOT, $1, $3); }
  | NOT expr                            { $$ = ast_unary(p, @$, AOP_NOT, $2); }
  | expr AND expr                       { $$ = ast_logic(p, @$, AST_AND, $1, $3); }
  | expr OR expr                        { $$ = ast_logic(p, @$, AST_OR, $1, $3); }
  | expr IF expr ELSE expr %prec IF     { $$ = ast_cond(p, @$, $1, $3, $5); }
  | LAMBDA lambda_params ':' expr %prec LOOSE
      { $$ = ast_lambda(p, @$, $2, $4); }
  ;

strings:
    STRING                              { ast_strings_begin(p, @1); }
  | strings STRING                      { ast_strings_add(p, @2); }
  ;

%%

/* The parser calls this only when its stack is full. */
static void
tik_yyerror(const Loc *at, Parser *p, const char *message)
{
    (void)message;
    complain(p, D_TOO_NESTED, *at, "the expression nests too deeply here");
}

static int
yyreport_syntax_error(const yypcontext_t *context, Parser *p)
{
    yysymbol_kind_t expected[MAX_EXPECTED];
    bool line = p->token >= LINE && p->token <= IF_LINE;
    Refused r = {.at = line ? indent_unread_line(p) : *yypcontext_location(context)};
    int n = yypcontext_expected_tokens(context, expected, MAX_EXPECTED);
    for (int i = 0; i < n; i++) {
        if (expected[i] < YYSYMBOL_LINE || expected[i] > YYSYMBOL_IF_LINE) {
            r.expected[r.n++] = yysymbol_name(expected[i]);
        }
    }
    complain_refused(p, &r);
    return 0;
}
